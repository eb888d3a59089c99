// A file that is missing is a miss, never an error: whoever needs it gets it computed again, in whatever state of its run.
import assert from 'node:assert/strict';
import { findDataset } from '../../src/engine/find-dataset.ts';
import { pinDataset, unpinDataset } from '../../src/engine/keep-dataset.ts';
import { verifyDataset } from '../../src/engine/verify-dataset.ts';
import { onBothStores } from './story.ts';
import { task } from './task-language.ts';

const ab = [task('a'), task('b', { parents: ['a'], result: true })];
const ac = [task('a'), task('c', { parents: ['a'], result: true })];

onBothStores('files that are missing at planning are computed again', async (story) => {
  const first = await story.complete(ab);
  await story.removeFiles(first, 'a');
  const second = await story.complete(ac);
  assert.deepEqual(await story.states(second), { a: 'FINISHED', c: 'FINISHED' });
  assert.equal(await story.reason(second, 'a'), 'VANISHED');
  assert.equal((await story.dataset(second, 'a')).id, (await story.dataset(first, 'a')).id);
});

onBothStores(
  'files that are missing at staging bring their action back to life in the same run',
  async (story) => {
    const { runId } = await story.submit([
      task('a'),
      task('x'),
      task('b', { parents: ['a', 'x'], result: true }),
    ]);
    await story.finish('a');
    await story.until('a is stored', async () => (await story.dataset(runId, 'a')).state === 'STORED');
    await story.removeFiles(runId, 'a');
    await story.finish('x');
    await story.finish('a');
    await story.finish('b');
    assert.equal((await story.ended(runId)).state, 'SUCCEEDED');
    assert.equal(story.starts('a'), 2);
    assert.equal(await story.text(runId, 'b'), 'b(a=a(),x=x())');
  },
);

onBothStores(
  'what a plan of another run finds missing is missed by everybody who has not begun',
  async (story) => {
    await story.complete([task('a', { result: true })]);
    story.workByHand();
    const first = await story.submit([
      task('a'),
      task('x'),
      task('b', { parents: ['a', 'x'], result: true }),
    ]);
    await story.running('x');
    await story.removeFiles(first.runId, 'a');
    const second = await story.submit(ac);
    await story.finish('x');
    await story.finish('a');
    await story.finish('b');
    await story.finish('c');
    assert.equal((await story.ended(first.runId)).state, 'SUCCEEDED');
    assert.equal((await story.ended(second.runId)).state, 'SUCCEEDED');
    assert.equal(story.starts('a'), 2);
  },
);

onBothStores(
  'an input that is lost while its consumer runs is missed only when the consumer is tried again',
  async (story) => {
    const first = await story.submit([
      task('a'),
      task('b', { parents: ['a'], result: true, retries: { count: 1 } }),
    ]);
    await story.finish('a');
    const key = await story.running('b');
    await story.removeFiles(first.runId, 'a');
    const second = await story.submit(ac);
    await story.running('a');
    story.world.finish(key, { kind: 'exited', exitCode: 1 });
    await story.until('b waits', async () => (await story.action(first.runId, 'b')).state === 'WAITING');
    story.workAlone();
    assert.equal((await story.ended(first.runId)).state, 'SUCCEEDED');
    assert.equal((await story.ended(second.runId)).state, 'SUCCEEDED');
    assert.equal(story.starts('a'), 2);
  },
);

onBothStores('a whole upstream comes back when everything above is gone', async (story) => {
  const nodes = [
    task('a'),
    task('b', { parents: ['a'] }),
    task('x', { parents: [] }),
    task('c', { parents: ['b', 'x'], result: true }),
  ];
  const { runId } = await story.submit(nodes);
  await story.finish('a');
  await story.finish('b');
  await story.until('b is stored', async () => (await story.dataset(runId, 'b')).state === 'STORED');
  await story.removeFiles(runId, 'a');
  await story.removeFiles(runId, 'b');
  await story.finish('x');
  story.workAlone();
  assert.equal((await story.ended(runId)).state, 'SUCCEEDED');
  assert.deepEqual([story.starts('a'), story.starts('b')], [2, 2]);
});

onBothStores('a lost input that cannot be computed again skips its consumers', async (story) => {
  const { runId } = await story.submit([
    task('a'),
    task('x'),
    task('b', { parents: ['a', 'x'], result: true }),
  ]);
  await story.finish('a');
  await story.until('a is stored', async () => (await story.dataset(runId, 'a')).state === 'STORED');
  await story.removeFiles(runId, 'a');
  await story.finish('x');
  await story.finish('a', { exitCode: 1 });
  assert.equal((await story.ended(runId)).state, 'FAILED');
  assert.deepEqual(await story.states(runId), { a: 'FAILED', x: 'FINISHED', b: 'SKIPPED' });
});

onBothStores('an action that was brought back to life has its retries still', async (story) => {
  const retries = { count: 1 };
  const { runId } = await story.submit([
    task('a', { retries }),
    task('x'),
    task('b', { parents: ['a', 'x'], result: true }),
  ]);
  await story.finish('a');
  await story.until('a is stored', async () => (await story.dataset(runId, 'a')).state === 'STORED');
  await story.removeFiles(runId, 'a');
  await story.finish('x');
  await story.finish('a', { exitCode: 1 });
  await story.finish('a');
  await story.finish('b');
  assert.equal((await story.ended(runId)).state, 'SUCCEEDED');
});

onBothStores('a damaged dataset that is found by verifying is a miss from then on', async (story) => {
  const first = await story.complete([task('a', { result: true })]);
  const row = await findDataset(story.store.view, (await story.dataset(first, 'a')).signature);
  assert.equal(await verifyDataset(story.engine.context, row, 'contents'), 'intact');
  story.storage.damage(row.location as string, 'data', 'A()');
  assert.equal(await verifyDataset(story.engine.context, row, 'contents'), 'damaged');
  assert.equal((await story.dataset(first, 'a')).state, 'DELETED');
  const second = await story.complete([task('a', { result: true })]);
  assert.equal(await story.text(second, 'a'), 'a()');
  // What was looked at before it was computed again is not lost a second time.
  assert.equal(await verifyDataset(story.engine.context, row, 'contents'), 'damaged');
  assert.equal((await story.dataset(second, 'a')).state, 'LEAF');
});

onBothStores('a pinned dataset outlives its run, until it is unpinned', async (story) => {
  const run = await story.complete(ab);
  const row = await story.dataset(run, 'a');
  await pinDataset(story.engine.context, row, null);
  const context = { actor: 'test', at: Date.now() };
  await story.store.write((tx) => tx.move('dataset', 'giveUp', [{ id: row.id }], context));
  assert.equal(await story.engine.datasetManager.sweep(), 0);
  await unpinDataset(story.engine.context, row);
  await story.until('a is deleted', async () => (await story.dataset(run, 'a')).state === 'DELETED');
});
