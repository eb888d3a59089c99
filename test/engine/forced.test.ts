// Forced computation: compared with what is there; equal bytes change nothing, different bytes are said and take over.
import assert from 'node:assert/strict';
import { onBothStores } from './story.ts';
import { task } from './task-language.ts';

const nodes = (forced: boolean) => [
  task('a', { forced }),
  task('b', { parents: ['a'] }),
  task('c', { parents: ['b'], result: true }),
];

onBothStores(
  'forced with the same bytes: what is below is not computed, the copy goes, nothing is marked',
  async (story) => {
    const first = await story.complete(nodes(false));
    const kept = await story.dataset(first, 'a');
    const second = await story.complete(nodes(true));
    assert.deepEqual(await story.states(second), { a: 'FINISHED', b: 'REUSED', c: 'REUSED' });
    assert.equal(await story.reason(second, 'a'), 'FORCED');
    const row = await story.dataset(second, 'a');
    assert.deepEqual([row.id, row.state, row.nondeterministic], [kept.id, 'STORED', 0]);
    const locations = await story.until('the copy is gone', async () => {
      const found: string[] = [];
      for await (const location of story.storage.locations()) found.push(location);
      return found.length === 3 && found;
    });
    assert.equal(locations.length, 3);
  },
);

onBothStores(
  'forced with other bytes: what is below is computed from them, and the difference is said',
  async (story) => {
    const first = await story.complete(nodes(false));
    const old = await story.dataset(first, 'a');
    story.workAlone((job) => !job.argv[1]?.includes('"key":"a"'));
    const second = await story.submit(nodes(true));
    await story.finish('a', { text: 'other' });
    await story.ended(second.runId);
    assert.deepEqual(await story.states(second.runId), { a: 'FINISHED', b: 'FINISHED', c: 'FINISHED' });
    assert.equal(await story.text(second.runId, 'c'), 'c(b=b(a=other))');
    const row = await story.dataset(second.runId, 'a');
    assert.notEqual(row.id, old.id);
    assert.deepEqual([row.isCurrent, row.nondeterministic], [1, 1]);
    const [before] = await story.store.view.datasets([old.id]);
    assert.deepEqual([before?.isCurrent, before?.nondeterministic], [0, 1]);
    const notes = await story.store.view.journal({ datasetId: old.id, limit: 100 });
    assert.ok(notes.some((note) => note.event === 'differs'));
    const third = await story.complete(nodes(false));
    assert.equal((await story.dataset(third, 'c')).id, (await story.dataset(second.runId, 'c')).id);
  },
);

onBothStores(
  'forced although the stored files are gone: the new files stand, not the missing ones',
  async (story) => {
    const first = await story.complete([task('a', { result: true })]);
    await story.removeFiles(first, 'a');
    const second = await story.complete([task('a', { result: true, forced: true })]);
    assert.equal(await story.text(second, 'a'), 'a()');
    const third = await story.complete([task('a', { result: true })]);
    assert.deepEqual(await story.states(third), { a: 'REUSED' });
    assert.equal(await story.text(third, 'a'), 'a()');
  },
);

onBothStores('a recomputation of a deleted dataset with other bytes marks it', async (story) => {
  const first = await story.complete([task('a', { result: true })]);
  await story.removeFiles(first, 'a');
  story.workByHand();
  const second = await story.submit([task('a', { result: true })]);
  assert.equal(await story.reason(second.runId, 'a'), 'VANISHED');
  await story.finish('a', { text: 'other' });
  await story.ended(second.runId);
  const row = await story.dataset(second.runId, 'a');
  assert.deepEqual([row.nondeterministic, row.state], [1, 'LEAF']);
});

onBothStores('what is below a forced node does not join work that began before', async (story) => {
  await story.complete([task('a', { result: true })]);
  story.workByHand();
  const other = await story.submit([task('a'), task('b', { parents: ['a'], result: true })]);
  await story.running('b');
  const forced = await story.submit([
    task('a', { forced: true }),
    task('b', { parents: ['a'], result: true }),
  ]);
  await story.finish('a', { text: 'new' });
  await story.finish('b', { runId: forced.runId });
  await story.finish('b', { runId: other.runId });
  await story.ended(forced.runId);
  await story.ended(other.runId);
  assert.equal(await story.text(forced.runId, 'b'), 'b(a=new)');
  assert.equal(await story.text(other.runId, 'b'), 'b(a=a())');
});

onBothStores('a forced twin is computed once for both', async (story) => {
  await story.complete([task('x', { result: true })]);
  const run = await story.complete([
    task('x1', { op: 'x', forced: true, result: true }),
    task('x2', { op: 'x', forced: true, result: true }),
  ]);
  assert.equal(story.starts('x1') + story.starts('x2'), 1);
  assert.deepEqual(Object.values(await story.states(run)).sort(), ['FINISHED', 'REUSED']);
});
