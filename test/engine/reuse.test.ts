// What was computed is not computed again: reuse, rescue, cut-off by content, twins, and what is not to be kept.
import assert from 'node:assert/strict';
import { planRun } from '../../src/engine/submit-run.ts';
import { onBothStores, type Story } from './story.ts';
import { task } from './task-language.ts';

const chain = [task('a'), task('b', { parents: ['a'] }), task('c', { parents: ['b'], result: true })];

async function giveUp(story: Story, runId: number, key: string): Promise<void> {
  const { id } = await story.dataset(runId, key);
  const context = { actor: 'test', at: Date.now() };
  const moved = await story.store.write((tx) => tx.move('dataset', 'giveUp', [{ id }], context));
  assert.equal(moved.length, 1);
}

async function deleted(story: Story, runId: number, key: string): Promise<void> {
  await story.until(`${key} is deleted`, async () => (await story.dataset(runId, key)).state === 'DELETED');
}

onBothStores(
  'a second run of the same workflow computes nothing and looks at nothing above the result',
  async (story) => {
    const first = await story.complete(chain);
    assert.deepEqual(await story.states(first), { a: 'FINISHED', b: 'FINISHED', c: 'FINISHED' });
    assert.equal((await story.run(first)).state, 'SUCCEEDED');
    assert.equal(await story.text(first, 'c'), 'c(b=b(a=a()))');
    const second = await story.complete(chain);
    assert.deepEqual(await story.states(second), { a: 'SKIPPED', b: 'SKIPPED', c: 'REUSED' });
    assert.equal(await story.reason(second, 'a'), 'NOT_NEEDED');
    assert.equal(await story.text(second, 'c'), 'c(b=b(a=a()))');
    assert.equal(story.world.jobs.size, 3);
    assert.equal((await story.dataset(second, 'c')).state, 'LEAF');
  },
);

onBothStores(
  'a changed end of a workflow reuses what is above it, and a reused intermediate may become a result',
  async (story) => {
    await story.complete(chain);
    const other = await story.complete([...chain.slice(0, 2), task('d', { parents: ['b'], result: true })]);
    assert.deepEqual(await story.states(other), { a: 'SKIPPED', b: 'REUSED', d: 'FINISHED' });
    assert.equal((await story.dataset(other, 'b')).state, 'STORED');
    const middle = await story.complete([task('a'), task('b', { parents: ['a'], result: true })]);
    assert.deepEqual(await story.states(middle), { a: 'SKIPPED', b: 'REUSED' });
    assert.equal((await story.dataset(middle, 'b')).state, 'LEAF');
  },
);

onBothStores(
  'the same submission key gives the same run',
  async (story) => {
    const first = await story.submit(chain, { submissionKey: 'k' });
    const again = await story.submit(chain, { submissionKey: 'k' });
    assert.equal(again.runId, first.runId);
    assert.equal(again.repeated, true);
  },
  { managers: 0 },
);

onBothStores(
  'what another realm computed is neither reused nor joined unless it may be read',
  async (story) => {
    const theirs = await story.complete(chain, { realm: 'theirs' });
    const mine = await story.complete(chain, { realm: 'mine' });
    assert.equal((await story.states(mine)).a, 'FINISHED');
    assert.notEqual((await story.dataset(mine, 'c')).id, (await story.dataset(theirs, 'c')).id);
    const friend = await story.complete(chain, { realm: 'friend', readable: ['theirs', 'friend'] });
    assert.deepEqual(await story.states(friend), { a: 'SKIPPED', b: 'SKIPPED', c: 'REUSED' });
    assert.equal((await story.dataset(friend, 'c')).id, (await story.dataset(theirs, 'c')).id);
  },
);

onBothStores('equal bytes in different realms are not found by content either', async (story) => {
  const nodes = (op: string) => [task('a', { op }), task('b', { parents: ['a'], result: true })];
  await story.complete(nodes('const:1@x'), { realm: 'theirs' });
  story.workByHand();
  const mine = await story.submit(nodes('const:1@y'), { realm: 'mine' });
  const theirs = await story.submit(nodes('const:1@z'), { realm: 'theirs' });
  story.workAlone();
  await story.ended(mine.runId);
  await story.ended(theirs.runId);
  assert.deepEqual(await story.states(theirs.runId), { a: 'FINISHED', b: 'REUSED' });
  assert.deepEqual(await story.states(mine.runId), { a: 'FINISHED', b: 'FINISHED' });
});

onBothStores(
  'a parent that was recomputed to the same bytes cuts off the recomputation of a whole chain below it',
  async (story) => {
    const nodes = (op: string) => [
      task('a', { op }),
      task('b', { parents: ['a'] }),
      task('c', { parents: ['b'] }),
      task('d', { parents: ['c'], result: true }),
    ];
    const first = await story.complete(nodes('const:1@first'));
    const second = await story.complete(nodes('const:1@second'));
    assert.deepEqual(await story.states(second), { a: 'FINISHED', b: 'REUSED', c: 'REUSED', d: 'REUSED' });
    assert.equal(await story.reason(second, 'd'), 'SAME_BYTES');
    assert.equal((await story.dataset(second, 'd')).id, (await story.dataset(first, 'd')).id);
    // What stood for it once is found at once the next time.
    const third = await story.complete(nodes('const:1@second'));
    assert.deepEqual(await story.states(third), { a: 'SKIPPED', b: 'SKIPPED', c: 'SKIPPED', d: 'REUSED' });
    assert.equal(await story.text(third, 'd'), await story.text(first, 'd'));
  },
);

onBothStores('two equal nodes of one workflow are computed once', async (story) => {
  const run = await story.complete([
    task('x1', { op: 'x' }),
    task('x2', { op: 'x', result: true }),
    task('sum', { parents: ['x1', 'x2'], result: true }),
  ]);
  assert.equal(story.world.jobs.size, 2);
  assert.deepEqual(Object.values(await story.states(run)).sort(), ['FINISHED', 'FINISHED', 'REUSED']);
  assert.equal(await story.text(run, 'sum'), 'sum(x1=x(),x2=x())');
  assert.equal((await story.dataset(run, 'x2')).state, 'LEAF');
});

onBothStores(
  'a dataset that is given up is rescued by a plan that wants it before its removal began',
  async (story) => {
    const first = await story.complete(chain);
    const held = await story.dataset(first, 'b');
    await story.engine.datasetManager.stop();
    await giveUp(story, first, 'b');
    const second = await story.complete([...chain.slice(0, 2), task('d', { parents: ['b'], result: true })]);
    assert.equal(await story.reason(second, 'b'), 'RESCUED');
    const row = await story.dataset(second, 'b');
    assert.deepEqual([row.id, row.state], [held.id, 'STORED']);
  },
);

onBothStores(
  'a deleted dataset is computed again into its row, with what it needs, and compared',
  async (story) => {
    const first = await story.complete(chain);
    for (const key of ['a', 'b']) await giveUp(story, first, key);
    for (const key of ['a', 'b']) await deleted(story, first, key);
    const before = await story.dataset(first, 'b');
    const second = await story.complete([...chain.slice(0, 2), task('d', { parents: ['b'], result: true })]);
    assert.deepEqual(await story.states(second), { a: 'FINISHED', b: 'FINISHED', d: 'FINISHED' });
    assert.equal(await story.reason(second, 'b'), 'DELETED');
    const row = await story.dataset(second, 'b');
    assert.deepEqual([row.id, row.state, row.nondeterministic], [before.id, 'STORED', 0]);
  },
);

onBothStores('the dataset manager leaves alone what is claimed', async (story) => {
  const first = await story.complete([task('a', { result: true })]);
  story.workByHand();
  const second = await story.submit([task('a'), task('b', { parents: ['a'], result: true })]);
  await story.running('b');
  const row = await story.dataset(first, 'a');
  const context = { actor: 'test', at: Date.now() };
  await story.store.write(async (tx) => {
    await tx.deleteEdges(await tx.edgesOf('run', [first]));
    await tx.move('dataset', 'demote', [{ id: row.id }], context);
    await tx.move('dataset', 'giveUp', [{ id: row.id }], context);
  });
  assert.equal(await story.engine.datasetManager.sweep(), 0);
  await story.finish('b');
  await story.ended(second.runId);
  await deleted(story, first, 'a');
  assert.equal(await story.text(second.runId, 'b'), 'b(a=a())');
});

onBothStores(
  'what is kept never is deleted after its consumers, and computed again when wanted',
  async (story) => {
    const nodes = [task('a', { keep: 'never' }), task('b', { parents: ['a'], result: true })];
    const first = await story.complete(nodes);
    await deleted(story, first, 'a');
    assert.equal((await story.dataset(first, 'b')).state, 'LEAF');
    const second = await story.complete([nodes[0]!, task('c', { parents: ['a'], result: true })]);
    assert.deepEqual(await story.states(second), { a: 'FINISHED', c: 'FINISHED' });
    await deleted(story, second, 'a');
  },
);

onBothStores(
  'unmanaged output goes where the user said, is always computed, and its copy goes when its consumers have ended',
  async (story) => {
    const nodes = [task('a', { outputPath: '/home/me/a' }), task('b', { parents: ['a'], result: true })];
    const first = await story.complete(nodes);
    assert.equal(story.storage.read('/home/me/a/data'), 'a()');
    await deleted(story, first, 'a');
    const second = await story.complete(nodes);
    assert.deepEqual(await story.states(second), { a: 'FINISHED', b: 'REUSED' });
  },
);

onBothStores('a plan can be looked at without changing anything', async (story) => {
  await story.complete(chain);
  const before = (await story.store.view.journal({ limit: 1000 })).length;
  const plan = await planRun(story.engine.context, {
    workflow: { name: 'w', language: 'test', failurePolicy: 'stop', nodes: chain },
    userName: 'me',
    realm: 'shared',
    readable: ['shared'],
    submissionKey: 'plan',
  });
  assert.deepEqual(
    plan.decisions.map((decision) => decision.do),
    ['leave', 'leave', 'reuse'],
  );
  assert.equal((await story.store.view.journal({ limit: 1000 })).length, before);
});
