// Graphs that are known only at run time: lists, conditions, growth inside growth, and growth that is remembered.
import assert from 'node:assert/strict';
import { onBothStores } from './story.ts';
import { task } from './task-language.ts';

const listed = (list: number, last = 'sum') => [
  task('a'),
  task('each', { parents: ['a'], grow: { list } }),
  task(last, { parents: ['each'], result: true }),
];

onBothStores('a list grows into its elements and is gathered in order', async (story) => {
  const run = await story.complete(listed(3));
  assert.deepEqual(await story.states(run), {
    a: 'FINISHED',
    each: 'FINISHED',
    sum: 'FINISHED',
    'each[0]': 'FINISHED',
    'each[1]': 'FINISHED',
    'each[2]': 'FINISHED',
  });
  const { id } = await story.action(run, 'sum');
  const edges = await story.store.view.edgesOf('action', [id]);
  assert.deepEqual(
    edges.map((edge) => edge.position),
    ['00000000', '00000001', '00000002'],
  );
});

onBothStores('an empty list gives its consumer an empty input', async (story) => {
  const run = await story.complete(listed(0));
  assert.equal((await story.run(run)).state, 'SUCCEEDED');
  assert.equal(await story.text(run, 'sum'), 'sum()');
});

onBothStores(
  'a remembered growth is reused without growing again, with the same inputs for whoever is below',
  async (story) => {
    const first = await story.complete(listed(2));
    const second = await story.complete(listed(2, 'other'));
    assert.deepEqual(await story.states(second), { a: 'SKIPPED', each: 'REUSED', other: 'FINISHED' });
    assert.equal(await story.reason(second, 'each'), 'GROWTH_KNOWN');
    assert.equal((await story.text(second, 'other')).replace('other', 'sum'), await story.text(first, 'sum'));
  },
);

onBothStores(
  'a condition that holds gives one dataset, not a list, the first time and when it is remembered',
  async (story) => {
    const nodes = (last: string) => [
      task('a'),
      task('maybe', { parents: ['a'], grow: { when: true } }),
      task(last, { parents: ['maybe'], result: true }),
    ];
    const first = await story.complete(nodes('x'));
    assert.equal(await story.text(first, 'x'), 'x(maybe=maybe(a=a()))');
    const second = await story.complete(nodes('y'));
    assert.deepEqual(await story.states(second), { a: 'SKIPPED', maybe: 'REUSED', y: 'FINISHED' });
    assert.equal(await story.text(second, 'y'), 'y(maybe=maybe(a=a()))');
  },
);

onBothStores(
  'a condition that is false leaves an optional input empty and skips everybody else',
  async (story) => {
    const run = await story.complete([
      task('a'),
      task('maybe', { parents: ['a'], grow: { when: false } }),
      task('needs', { parents: ['maybe'], result: true }),
      task('below', { parents: [{ slot: 'n', key: 'needs', optional: true }], result: true }),
      task('likes', { parents: ['a', { slot: 'maybe', key: 'maybe', optional: true }], result: true }),
    ]);
    assert.equal((await story.run(run)).state, 'SUCCEEDED');
    assert.deepEqual(await story.states(run), {
      a: 'FINISHED',
      maybe: 'SKIPPED',
      needs: 'SKIPPED',
      below: 'FINISHED',
      likes: 'FINISHED',
    });
    assert.equal(await story.reason(run, 'maybe'), 'CONDITION_FALSE');
    assert.equal(await story.reason(run, 'needs'), 'PARENT_SKIPPED');
    assert.equal(await story.text(run, 'likes'), 'likes(a=a())');
  },
);

onBothStores('a failure never leaves an optional input empty', async (story) => {
  const { runId } = await story.submit([
    task('bad'),
    task('middle', { parents: ['bad'] }),
    task('end', { parents: [{ slot: 'm', key: 'middle', optional: true }], result: true }),
  ]);
  await story.finish('bad', { exitCode: 1 });
  assert.equal((await story.ended(runId)).state, 'FAILED');
  assert.deepEqual(await story.states(runId), { bad: 'FAILED', middle: 'SKIPPED', end: 'SKIPPED' });
});

onBothStores('growth inside growth keeps its nesting, and is remembered as a whole', async (story) => {
  const nodes = (last: string) => [
    task('a'),
    task('outer', { parents: ['a'], grow: { list: 2, inner: { list: 2 } } }),
    task(last, { parents: ['outer'], result: true }),
  ];
  const first = await story.complete(nodes('x'));
  const positions = async (run: number, key: string) =>
    (await story.store.view.edgesOf('action', [(await story.action(run, key)).id])).map(
      (edge) => edge.position,
    );
  const expected = ['00000000.00000000', '00000000.00000001', '00000001.00000000', '00000001.00000001'];
  assert.deepEqual(await positions(first, 'x'), expected);
  const second = await story.complete(nodes('y'));
  assert.deepEqual(await story.states(second), { a: 'SKIPPED', outer: 'REUSED', y: 'FINISHED' });
  assert.deepEqual(await positions(second, 'y'), expected);
});

onBothStores('growth that finds some of its elements remembered grows only the others', async (story) => {
  await story.complete([
    task('a'),
    task('outer', { parents: ['a'], grow: { list: 1, inner: { list: 2 } } }),
    task('x', { parents: ['outer'], result: true }),
  ]);
  const run = await story.complete([
    task('a'),
    task('outer', { parents: ['a'], grow: { list: 2, inner: { list: 2 } } }),
    task('x', { parents: ['outer'], result: true }),
  ]);
  const states = await story.states(run);
  assert.equal(states['outer[0]'], 'REUSED');
  assert.equal(states['outer[1]'], 'FINISHED');
  const edges = await story.store.view.edgesOf('action', [(await story.action(run, 'x')).id]);
  assert.equal(edges.length, 4);
});

onBothStores('a growing node may be the result of a run, then and when it is remembered', async (story) => {
  const nodes = [task('a'), task('each', { parents: ['a'], grow: { list: 2 }, result: true })];
  for (const expected of ['FINISHED', 'REUSED']) {
    const run = await story.complete(nodes);
    assert.equal((await story.states(run)).each, expected);
    const claims = await story.store.view.edgesOf('run', [run]);
    assert.equal(claims.length, 2);
    const rows = await story.store.view.datasets(claims.map((edge) => edge.datasetId as number));
    assert.deepEqual(
      rows.map((row) => row.state),
      ['LEAF', 'LEAF'],
    );
  }
});

onBothStores(
  'a remembered element that is gone makes the node grow again and computes only what is missing',
  async (story) => {
    const first = await story.complete(listed(3));
    await story.removeFiles(first, 'each[1]');
    const second = await story.complete(listed(3, 'other'));
    const states = await story.states(second);
    assert.deepEqual(
      [states.each, states['each[0]'], states['each[1]'], states['each[2]']],
      ['FINISHED', 'REUSED', 'FINISHED', 'REUSED'],
    );
  },
);

onBothStores(
  'a remembered element that is gone at staging makes the node grow in the live run',
  async (story) => {
    const first = await story.complete(listed(2));
    story.workByHand();
    const nodes = [
      ...listed(2, 'other').slice(0, 2),
      task('x'),
      task('other', { parents: ['each', 'x'], result: true }),
    ];
    const { runId } = await story.submit(nodes);
    assert.equal((await story.states(runId)).each, 'REUSED');
    await story.running('x');
    await story.removeFiles(first, 'each[1]');
    story.workAlone();
    assert.equal((await story.ended(runId)).state, 'SUCCEEDED');
    const states = await story.states(runId);
    assert.deepEqual([states.each, states['each[0]'], states['each[1]']], ['FINISHED', 'REUSED', 'FINISHED']);
  },
);

onBothStores('what grows below a forced node is computed from the new bytes', async (story) => {
  await story.complete(listed(2));
  story.workAlone((job) => !job.argv[1]?.includes('"key":"a"'));
  const [, ...rest] = listed(2);
  const { runId } = await story.submit([task('a', { forced: true }), ...rest]);
  await story.finish('a', { text: 'new' });
  assert.equal((await story.ended(runId)).state, 'SUCCEEDED');
  assert.equal(await story.text(runId, 'each[0]'), 'each#0(a=new)');
  assert.equal(story.starts('each[0]'), 2);
});

onBothStores('two runs that grow the same list at once share its elements', async (story) => {
  const first = await story.submit(listed(2));
  await story.finish('a');
  await story.running('each[0]');
  const second = await story.submit(listed(2, 'other'));
  story.workAlone();
  assert.equal((await story.ended(first.runId)).state, 'SUCCEEDED');
  assert.equal((await story.ended(second.runId)).state, 'SUCCEEDED');
  assert.equal(story.starts('each[0]'), 1);
  assert.equal(story.starts('each[1]'), 1);
});

onBothStores('a failing element skips whoever gathers the list', async (story) => {
  const { runId } = await story.submit(listed(2));
  await story.finish('a');
  await story.finish('each[0]', { exitCode: 1 });
  await story.finish('each[1]');
  assert.equal((await story.ended(runId)).state, 'FAILED');
  assert.equal((await story.states(runId)).sum, 'SKIPPED');
});

onBothStores('unmanaged elements are computed although nobody gathers them', async (story) => {
  const run = await story.complete([
    task('a'),
    task('each', { parents: ['a'], grow: { list: 1 }, outputPath: '/home/me/each', result: true }),
  ]);
  assert.equal((await story.states(run))['each[0]'], 'FINISHED');
  assert.equal(story.storage.read('/home/me/each/data'), 'each#0(a=a())');
});
