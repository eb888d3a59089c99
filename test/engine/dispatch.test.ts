// Who is next: priorities first, then runs take turns, whatever their size.
import assert from 'node:assert/strict';
import { onBothStores, type Story } from './story.ts';
import { task } from './task-language.ts';

const wide = (name: string, count: number) =>
  Array.from({ length: count }, (_, i) => task(`${name}${i}`, { result: true }));

/** Lets jobs run one at a time and notes the order in which they start. */
async function startsInOrder(story: Story, count: number): Promise<string[]> {
  const order: string[] = [];
  for (let n = 0; n < count; n++) {
    const key = await story.until('a job runs', async () => story.world.keys('running')[0]);
    const job = story.world.jobs.get(key)?.job;
    const name = (JSON.parse(job?.argv[1] as string) as { key: string }).key;
    order.push(name);
    await story.finish(name);
  }
  return order;
}

const oneAtATime = { capacity: { cores: 1, queueAhead: 0 } };

onBothStores(
  'a small run that comes later does not wait for the end of a large one',
  async (story) => {
    await story.submit(wide('large', 30));
    await story.running('large0');
    await story.submit(wide('small', 3));
    const order = await startsInOrder(story, 10);
    assert.deepEqual(
      order.filter((name) => name.startsWith('small')),
      ['small0', 'small1', 'small2'],
    );
  },
  oneAtATime,
);

onBothStores(
  'a higher priority goes first, of an action as of a whole run',
  async (story) => {
    await story.submit([
      task('first', { result: true }),
      ...wide('plain', 5),
      task('urgent', { result: true, priority: 2 }),
    ]);
    await story.running('urgent');
    await story.submit(wide('vip', 2), { priority: 5 });
    const order = await startsInOrder(story, 4);
    assert.deepEqual(order, ['urgent', 'vip0', 'vip1', 'first']);
  },
  oneAtATime,
);

onBothStores(
  'several managers share the queue and nothing runs twice',
  async (story) => {
    const runs = await Promise.all(
      ['p', 'q', 'r'].map((name) =>
        story.submit([
          ...wide(name, 12),
          task(`${name}-end`, { parents: wide(name, 12).map(({ key }) => key), result: true }),
        ]),
      ),
    );
    story.workAlone();
    for (const { runId } of runs) assert.equal((await story.ended(runId)).state, 'SUCCEEDED');
    assert.equal(story.world.jobs.size, 39);
    for (const job of story.world.jobs.values()) assert.equal(job.starts, 1);
  },
  { managers: 3 },
);

onBothStores(
  'a manager that leaves in good order gives its running jobs to the others at once',
  async (story) => {
    const { runId } = await story.submit([task('a', { result: true })]);
    const first = await story.manage();
    const key = await story.running('a');
    await story.manage();
    await first.actionManager.stop();
    await story.until(
      'somebody else has it',
      async () => (await story.action(runId, 'a')).owner === 'manager-2',
    );
    await story.until(
      'the other watches it',
      async () => (story.world.jobs.get(key)?.watchers.size ?? 0) > 1,
    );
    await story.finish('a');
    assert.equal((await story.ended(runId)).state, 'SUCCEEDED');
    assert.equal(story.starts('a'), 1);
  },
  { managers: 0, leaseMs: 60_000 },
);
