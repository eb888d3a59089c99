// Failure is contained: descendants end with the reason, policies decide about the rest, retries and losses are counted apart.
import assert from 'node:assert/strict';
import { infrastructureTries } from '../../src/engine/fail-attempts.ts';
import { FaultyStorage, type StorageFault } from '../../src/storage/faulty.ts';
import { onBothStores } from './story.ts';
import { task } from './task-language.ts';

const fork = [
  task('bad'),
  task('below', { parents: ['bad'] }),
  task('last', { parents: ['below'], result: true }),
  task('good'),
  task('end', { parents: ['good'], result: true }),
];

onBothStores('what is below a failure is skipped with the reason, the rest is finished', async (story) => {
  const { runId } = await story.submit(fork, { policy: 'finish-what-is-possible' });
  await story.finish('bad', { exitCode: 3 });
  await story.finish('good');
  await story.finish('end');
  assert.equal((await story.ended(runId)).state, 'FAILED');
  assert.deepEqual(await story.states(runId), {
    bad: 'FAILED',
    below: 'SKIPPED',
    last: 'SKIPPED',
    good: 'FINISHED',
    end: 'FINISHED',
  });
  assert.equal(await story.reason(runId, 'below'), 'PARENT_FAILED');
  assert.equal(await story.reason(runId, 'last'), 'PARENT_SKIPPED');
  const error = JSON.parse((await story.action(runId, 'bad')).error as string) as { message: string };
  assert.equal(error.message, 'exit code 3');
  const [attempt] = await story.store.view.attempts([(await story.action(runId, 'bad')).id]);
  assert.deepEqual([attempt?.state, attempt?.exitCode], ['FAILED', 3]);
  assert.deepEqual(story.storage.scratch(attempt?.key as string), [], 'only its logs are left');
});

onBothStores('with the policy stop, what runs goes on and nothing else begins', async (story) => {
  const { runId } = await story.submit(fork, { policy: 'stop' });
  await story.running('good');
  await story.finish('bad', { exitCode: 1 });
  await story.until('the run stops', async () => (await story.action(runId, 'end')).state === 'SKIPPED');
  assert.equal(await story.reason(runId, 'end'), 'RUN_STOPPED');
  await story.finish('good');
  assert.equal((await story.ended(runId)).state, 'FAILED');
  assert.equal((await story.states(runId)).good, 'FINISHED');
});

onBothStores(
  'retries follow the policy, with growing delays, and only for the exit codes that are worth one',
  async (story) => {
    const { runId } = await story.submit([
      task('twice', { result: true, retries: { count: 2, delayMs: 3, backoff: 4 } }),
      task('picky', { result: true, retries: { count: 5, exitCodes: [75] } }),
    ]);
    await story.finish('twice', { exitCode: 1 });
    await story.finish('twice', { exitCode: 1 });
    await story.finish('twice');
    await story.finish('picky', { exitCode: 75 });
    await story.finish('picky', { exitCode: 1 });
    assert.equal((await story.ended(runId)).state, 'FAILED');
    assert.deepEqual(await story.states(runId), { twice: 'FINISHED', picky: 'FAILED' });
    const journal = await story.store.view.journal({ runId, limit: 1000 });
    const { id } = await story.action(runId, 'twice');
    const delays = journal
      .filter((row) => row.machine === 'action' && row.entityId === id && row.event === 'retry')
      .map((row) => (JSON.parse(row.detail as string) as { delayMs: number }).delayMs);
    assert.deepEqual(delays, [3, 12]);
    assert.equal((await story.action(runId, 'twice')).attempts, 3);
  },
);

onBothStores('a time-out counts as a failure of the command', async (story) => {
  const { runId } = await story.submit([
    task('slow', { result: true, timeoutMs: 10, retries: { count: 1 } }),
  ]);
  for (let n = 0; n < 2; n++) story.world.finish(await story.running('slow'), { kind: 'timeout' });
  assert.equal((await story.ended(runId)).state, 'FAILED');
  const error = JSON.parse((await story.action(runId, 'slow')).error as string) as { code: string };
  assert.equal(error.code, 'ACTION_TIMED_OUT');
});

onBothStores(
  'attempts that were lost are repeated although no retry is allowed, but not for ever',
  async (story) => {
    const { runId } = await story.submit([task('a', { result: true })]);
    story.world.finish(await story.running('a'), { kind: 'lost', reason: 'power' });
    story.world.finish(await story.running('a'), { kind: 'lost', reason: 'power' });
    await story.finish('a', { exitCode: 1 });
    assert.equal((await story.ended(runId)).state, 'FAILED');
    const attempts = await story.store.view.attempts([(await story.action(runId, 'a')).id]);
    assert.deepEqual(
      attempts.map((attempt) => attempt.state),
      ['LOST', 'LOST', 'FAILED'],
    );
    const other = await story.submit([task('b', { result: true })]);
    for (let n = 0; n < 6; n++)
      story.world.finish(await story.running('b'), { kind: 'lost', reason: 'power' });
    assert.equal((await story.ended(other.runId)).state, 'FAILED');
  },
);

onBothStores('a hand-over that fails is looked up before it is repeated', async (story) => {
  let faults: ('before' | 'after')[] = ['after', 'before'];
  story.world.submitFault = () => faults.shift();
  const { runId } = await story.submit([task('a', { result: true })]);
  await story.finish('a');
  await story.ended(runId);
  assert.equal(story.world.jobs.size, 1, 'the job was there although the back-end did not say so');
  faults = ['before'];
  const other = await story.submit([task('b', { result: true })]);
  await story.finish('b');
  assert.equal((await story.ended(other.runId)).state, 'SUCCEEDED');
  const attempts = await story.store.view.attempts([(await story.action(other.runId, 'b')).id]);
  assert.deepEqual(
    attempts.map((attempt) => attempt.state),
    ['LOST', 'SUCCEEDED'],
  );
  for (const entry of story.world.jobs.values()) assert.ok(entry.starts <= 1);
});

onBothStores(
  'a back-end that takes nothing ends the action with its reason, after a few tries',
  async (story) => {
    story.world.submitFault = () => 'before';
    const { runId } = await story.submit([task('a', { result: true, retries: { delayMs: 1 } })]);
    assert.equal((await story.ended(runId)).state, 'FAILED');
    const action = await story.action(runId, 'a');
    assert.equal(action.attempts, infrastructureTries + 1);
    assert.match(action.error as string, /the back-end did not take it/);
  },
);

onBothStores('a repeated end of a job has no effect', async (story) => {
  const { runId } = await story.submit([task('a'), task('b', { parents: ['a'], result: true })]);
  const key = await story.finish('a');
  story.world.repeatEnded(key);
  await story.finish('b');
  story.world.repeatEnded(key);
  await story.ended(runId);
  const journal = await story.store.view.journal({ runId, limit: 1000 });
  assert.equal(journal.filter((row) => row.event === 'finish').length, 2);
});

let diskFaults: StorageFault[] = [];
onBothStores(
  'a full disk while a dataset is published is tried again, and an error that nothing helps against ends the action',
  async (story) => {
    diskFaults = ['ENOSPC', undefined, undefined];
    const { runId } = await story.submit([task('a', { result: true })]);
    await story.finish('a');
    await story.finish('a');
    assert.equal((await story.ended(runId)).state, 'SUCCEEDED');
    diskFaults = ['EROFS', 'EROFS', 'EROFS', 'EROFS', 'EROFS', 'EROFS'];
    const other = await story.submit([task('b', { result: true })]);
    story.workAlone();
    assert.equal((await story.ended(other.runId)).state, 'FAILED');
  },
  {
    storage: (real) =>
      new FaultyStorage(real, ({ operation, when }) =>
        operation === 'publish' && when === 'before' ? diskFaults.shift() : undefined,
      ),
  },
);

onBothStores('an action type that nobody here knows fails with a clear error', async (story) => {
  const { runId } = await story.submit([{ ...task('a', { result: true }), type: 'sqoop' }]);
  assert.equal((await story.ended(runId)).state, 'FAILED');
  assert.match((await story.action(runId, 'a')).error as string, /ACTION_TYPE_UNAVAILABLE/);
});

onBothStores(
  'failures before an attempt do not count as failures of the command',
  async (story) => {
    // Three infrastructure failures in a row must not buy the command three free tries.
    diskFaults = [];
    const { runId } = await story.submit([task('a', { result: true })]);
    await story.finish('a', { exitCode: 1 });
    assert.equal((await story.ended(runId)).state, 'FAILED');
    assert.equal((await story.action(runId, 'a')).lost, 3);
  },
  {
    storage: (real) => {
      let left = 3;
      return new FaultyStorage(real, ({ operation }) =>
        operation === 'openAttempt' && left-- > 0 ? 'ENOSPC' : undefined,
      );
    },
  },
);
