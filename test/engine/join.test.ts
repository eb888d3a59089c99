// Work in flight is shared between runs, and survives the run that began it.
import assert from 'node:assert/strict';
import { onBothStores } from './story.ts';
import { task } from './task-language.ts';

const ab = [task('a'), task('b', { parents: ['a'], result: true })];
const ac = [task('a'), task('c', { parents: ['a'], result: true })];

onBothStores('a second run joins what the first is computing, and both end', async (story) => {
  const first = await story.submit(ab);
  await story.running('a');
  const second = await story.submit(ac);
  assert.deepEqual(await story.states(second.runId), { a: 'WAITING', c: 'WAITING' });
  assert.equal(await story.reason(second.runId, 'a'), 'JOINED');
  await story.finish('a');
  await story.finish('b');
  await story.finish('c');
  assert.equal((await story.ended(first.runId)).state, 'SUCCEEDED');
  assert.equal((await story.ended(second.runId)).state, 'SUCCEEDED');
  assert.deepEqual(await story.states(second.runId), { a: 'REUSED', c: 'FINISHED' });
  assert.equal(story.starts('a'), 1);
});

onBothStores('a joined result is a result for both', async (story) => {
  const first = await story.submit(ab);
  await story.running('a');
  const second = await story.submit([task('a', { result: true })]);
  assert.equal((await story.dataset(first.runId, 'a')).state, 'TO_LEAF');
  await story.finish('a');
  await story.ended(second.runId);
  assert.equal((await story.dataset(second.runId, 'a')).state, 'LEAF');
  await story.finish('b');
  await story.ended(first.runId);
});

onBothStores('when joined work fails, the joiner computes it itself', async (story) => {
  const first = await story.submit(ab);
  await story.running('a');
  const second = await story.submit(ac);
  const third = await story.submit([task('a'), task('d', { parents: ['a'], result: true })]);
  await story.finish('a', { exitCode: 1 });
  assert.equal((await story.ended(first.runId)).state, 'FAILED');
  assert.deepEqual(await story.states(first.runId), { a: 'FAILED', b: 'SKIPPED' });
  await story.finish('a', { runId: second.runId });
  await story.finish('c');
  await story.finish('d');
  assert.equal((await story.ended(second.runId)).state, 'SUCCEEDED');
  assert.equal((await story.ended(third.runId)).state, 'SUCCEEDED');
  assert.equal(await story.reason(second.runId, 'a'), 'TAKEN_OVER');
  assert.equal(story.starts('a'), 2);
});

onBothStores('the joiner that takes over brings skipped ancestors back to life', async (story) => {
  const deep = (last: string) => [
    task('a'),
    task('b', { parents: ['a'] }),
    task('c', { parents: ['b'] }),
    task(last, { parents: ['c'], result: true }),
  ];
  const first = await story.submit(deep('x'));
  await story.finish('a');
  await story.finish('b');
  await story.running('c');
  const second = await story.submit(deep('y'));
  assert.deepEqual(await story.states(second.runId), {
    a: 'SKIPPED',
    b: 'SKIPPED',
    c: 'WAITING',
    y: 'WAITING',
  });
  await story.removeFiles(first.runId, 'a');
  await story.removeFiles(first.runId, 'b');
  await story.finish('c', { exitCode: 1 });
  assert.equal((await story.ended(first.runId)).state, 'FAILED');
  story.workAlone();
  assert.equal((await story.ended(second.runId)).state, 'SUCCEEDED');
  assert.deepEqual(await story.states(second.runId), {
    a: 'FINISHED',
    b: 'FINISHED',
    c: 'FINISHED',
    y: 'FINISHED',
  });
  assert.equal(await story.text(second.runId, 'y'), 'y(c=c(b=b(a=a())))');
});

onBothStores('a joiner whose own ancestors failed is skipped, and so is what waits for it', async (story) => {
  const first = await story.submit([
    task('a'),
    task('b', { parents: ['a'] }),
    task('x', { parents: ['b'], result: true }),
  ]);
  await story.finish('a');
  await story.running('b');
  const deleted = await story.dataset(first.runId, 'a');
  // Its own copy of a is computed for k, because the stored one is gone; b is joined.
  await story.storage.remove(deleted.location as string);
  const second = await story.submit([
    task('a'),
    task('b', { parents: ['a'] }),
    task('k', { parents: ['a'], result: true }),
    task('y', { parents: ['b'], result: true }),
  ]);
  await story.finish('a', { runId: second.runId, exitCode: 1 });
  await story.until('a failed', async () => (await story.action(second.runId, 'a')).state === 'FAILED');
  await story.finish('b', { exitCode: 1 });
  assert.equal((await story.ended(second.runId)).state, 'FAILED');
  assert.deepEqual(await story.states(second.runId), {
    a: 'FAILED',
    b: 'SKIPPED',
    k: 'SKIPPED',
    y: 'SKIPPED',
  });
  assert.equal((await story.ended(first.runId)).state, 'FAILED');
});

onBothStores('in a realm of its own the joiner takes over into a dataset of its own', async (story) => {
  const first = await story.submit(ab, { realm: 'theirs' });
  await story.running('a');
  const second = await story.submit(ac, { realm: 'mine', readable: ['mine', 'theirs'] });
  const third = await story.submit([task('a'), task('d', { parents: ['a'], result: true })], {
    realm: 'other',
    readable: ['theirs', 'other'],
  });
  assert.equal(await story.reason(second.runId, 'a'), 'JOINED');
  await story.finish('a', { exitCode: 1 });
  await story.ended(first.runId);
  story.workAlone();
  assert.equal((await story.ended(second.runId)).state, 'SUCCEEDED');
  assert.equal((await story.ended(third.runId)).state, 'SUCCEEDED');
  assert.equal((await story.dataset(second.runId, 'a')).realm, 'mine');
  assert.equal((await story.dataset(third.runId, 'a')).realm, 'other');
});

onBothStores('cancelling a run stops what only it wants', async (story) => {
  const { runId } = await story.submit(ab);
  const key = await story.running('a');
  await story.cancel(runId);
  assert.equal((await story.ended(runId)).state, 'CANCELLED');
  assert.equal(story.world.jobs.get(key)?.outcome?.kind, 'cancelled');
  assert.deepEqual(await story.states(runId), { a: 'KILLED', b: 'KILLED' });
  assert.equal((await story.dataset(runId, 'b')).state, 'DELETED');
  await assert.rejects(story.cancel(runId), { code: 'RUN_ENDED' });
  await assert.rejects(story.cancel(9999), { code: 'RUN_NOT_FOUND' });
});

onBothStores('what another run has joined goes on after a cancel', async (story) => {
  const first = await story.submit(ab);
  await story.running('a');
  const second = await story.submit(ac);
  await story.cancel(first.runId);
  assert.equal((await story.ended(first.runId)).state, 'CANCELLED');
  assert.equal(await story.isRunning('a'), true);
  await story.finish('a');
  await story.finish('c');
  assert.equal((await story.ended(second.runId)).state, 'SUCCEEDED');
  assert.equal((await story.run(first.runId)).state, 'CANCELLED');
  assert.equal(story.starts('a'), 1);
});

onBothStores('when the last run that joined is gone too, the work stops', async (story) => {
  const first = await story.submit(ab);
  const key = await story.running('a');
  const second = await story.submit(ac);
  const third = await story.submit([task('a'), task('d', { parents: ['a'], result: true })]);
  await story.cancel(first.runId);
  await story.cancel(second.runId);
  assert.equal((await story.ended(second.runId)).state, 'CANCELLED');
  assert.equal(await story.isRunning('a'), true);
  await story.cancel(third.runId);
  await story.until('a stops', async () => story.world.jobs.get(key)?.outcome?.kind === 'cancelled');
  await story.until('a is killed', async () => (await story.action(first.runId, 'a')).state === 'KILLED');
});

onBothStores('work that goes on for a run which then fails elsewhere stops, too', async (story) => {
  const first = await story.submit(ab);
  const key = await story.running('a');
  const second = await story.submit(
    [task('a'), task('f'), task('c', { parents: ['a', 'f'], result: true })],
    { policy: 'stop' },
  );
  await story.cancel(first.runId);
  await story.finish('f', { exitCode: 1 });
  assert.equal((await story.ended(second.runId)).state, 'FAILED');
  await story.until('a stops', async () => story.world.jobs.get(key)?.outcome?.kind === 'cancelled');
});

onBothStores('a run that joins work which is being cancelled computes it itself', async (story) => {
  story.world.ignoreCancel = true;
  const first = await story.submit(ab);
  const key = await story.running('a');
  await story.cancel(first.runId);
  await story.until('the job is asked to stop', async () => story.world.jobs.get(key)?.cancelRequested);
  const second = await story.submit(ac);
  assert.equal(await story.reason(second.runId, 'a'), 'JOINED');
  story.world.finish(key, { kind: 'cancelled' });
  assert.equal((await story.ended(first.runId)).state, 'CANCELLED');
  story.workAlone();
  assert.equal((await story.ended(second.runId)).state, 'SUCCEEDED');
});

onBothStores('a cancelled run hands over what has not begun to the run that joined it', async (story) => {
  const first = await story.submit([task('a'), task('b', { parents: ['a'], result: true })]);
  await story.running('a');
  const second = await story.submit([
    task('a'),
    task('b', { parents: ['a'] }),
    task('c', { parents: ['b'], result: true }),
  ]);
  assert.deepEqual(await story.states(second.runId), { a: 'SKIPPED', b: 'WAITING', c: 'WAITING' });
  await story.cancel(first.runId);
  assert.equal((await story.ended(first.runId)).state, 'CANCELLED');
  story.workAlone();
  assert.equal((await story.ended(second.runId)).state, 'SUCCEEDED');
  assert.equal(story.starts('a'), 1);
  const { datasetId } = await story.action(second.runId, 'b');
  const [row] = await story.store.view.datasets([datasetId as number]);
  assert.equal(row?.state, 'STORED', 'it is a result of no run that goes on');
});

onBothStores(
  'submissions that arrive together know of each other: shared work, and a repeated key',
  async (story) => {
    const names = Array.from({ length: 12 }, (_, i) => `end${i}`);
    const runs = await Promise.all([
      ...names.map((name) => story.submit([task('a'), task(name, { parents: ['a'], result: true })])),
      ...['x', 'y', 'x'].map((submissionKey) => story.submit(ab, { submissionKey })),
    ]);
    const ids = [...new Set(runs.map(({ runId }) => runId))];
    assert.equal(ids.length, 14);
    assert.equal(runs[12]?.runId, runs[14]?.runId);
    assert.equal(runs.filter(({ repeated }) => repeated).length, 1);
    const reasons = await Promise.all(ids.map((id) => story.reason(id, 'a')));
    assert.deepEqual(reasons.sort(), [...Array(12).fill('JOINED'), 'NEVER_COMPUTED', 'NOT_NEEDED']);
    story.workAlone();
    for (const id of ids) assert.equal((await story.ended(id)).state, 'SUCCEEDED');
    assert.equal(story.starts('a'), 1);
  },
);
