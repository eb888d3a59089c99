// The graph without a browser: what is one node when groups are closed, and where nodes go.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Output } from '../../src/api/api.ts';
import { GraphModel } from '../../src/web/graph/graph-model.ts';
import { layOut } from '../../src/web/graph/layout.ts';

type Graph = Output<'getRunGraph'>;

function graph(actions: readonly (readonly [string, number | null])[], edges: Graph['edges']): Graph {
  return {
    run: 1,
    states: ['WAITING', 'READY', 'RUNNING', 'FINISHED'],
    names: ['step'],
    actions: actions.map(([key, grownFrom], i) => [i + 1, key, 0, 0, grownFrom, 0]),
    times: actions.map(() => [null, null, null]),
    edges,
  };
}

test('what grew from an action is one node while closed, with the edges of all that is inside', () => {
  const model = new GraphModel(
    graph(
      [
        ['split', null],
        ['render', null],
        ['render/1', 1],
        ['render/2', 1],
        ['mosaic', null],
      ],
      [
        [0, 1],
        [0, 2],
        [0, 3],
        [1, 4],
      ],
    ),
  );
  const closed = model.visible(new Set());
  assert.deepEqual(
    closed.nodes.map(({ label, group }) => [label, group?.members.length]),
    [
      ['split', undefined],
      ['render', 3],
      ['mosaic', undefined],
    ],
  );
  assert.deepEqual(closed.edges, [
    [0, 1],
    [1, 2],
  ]);
  const open = model.visible(new Set(model.groups.keys()));
  assert.equal(open.nodes.length, 5);
});

test('scatters, sub-workflows and sub-workflows in scatters are groups inside each other', () => {
  const model = new GraphModel(
    graph(
      [
        ['first', null],
        ['inner/say[0]', null],
        ['inner/say[1]', null],
        ['inner/join', null],
        ['many', null],
        ['many[0]/say', 4],
        ['many[0]/join', 4],
        ['many[1]/say', 4],
        ['many[1]/join', 4],
        ['one[0]/only', null],
        ['#outputs', null],
      ],
      [],
    ),
  );
  assert.deepEqual(
    [...model.groups.values()]
      .map(({ label, members, parent }) => [label, members.length, parent?.label])
      .sort(),
    [
      ['inner', 3, undefined],
      ['inner/say', 2, 'inner'],
      ['many', 5, undefined],
      ['many[0]', 2, 'many'],
      ['many[1]', 2, 'many'],
    ],
  );
  const labels = (...open: string[]): string[] =>
    model.visible(new Set(open.map((path) => `p${path}`))).nodes.map(({ label }) => label);
  assert.deepEqual(labels(), ['first', 'inner', 'many', 'one[0]/only', '#outputs']);
  assert.deepEqual(labels('inner', 'many').slice(1, 6), [
    'inner/say',
    'inner/join',
    'many',
    'many[0]',
    'many[1]',
  ]);
});

test('actions whose ids differ in numbers only are a group, but never across depths', () => {
  const members = Array.from({ length: 8 }, (_, i) => [`member-${i}`, null] as const);
  const model = new GraphModel(
    graph(
      [['first', null], ...members, ['last', null]],
      members.map((_, i) => [0, i + 1]),
    ),
  );
  assert.deepEqual(
    [...model.groups.values()].map(({ label, members: inside }) => [label, inside.length]),
    [['member-*', 8]],
  );
  const chain = new GraphModel(
    graph(
      members,
      members.slice(1).map((_, i) => [i, i + 1]),
    ),
  );
  assert.equal(chain.groups.size, 0);
});

test('a change of state is taken over with its times; an unknown action is told', () => {
  const model = new GraphModel(graph([['a', null]], []));
  assert.equal(model.move(1, 'RUNNING', 100), true);
  assert.equal(model.move(1, 'FINISHED', 150), true);
  assert.deepEqual(model.times[0], [null, 100, 150]);
  assert.equal(model.toneOf(0), 'ok');
  assert.equal(model.move(99, 'READY', 200), false);
});

test('children stand to the right of their parents and no two nodes overlap, in small graphs and large', () => {
  for (const count of [30, 3000]) {
    const edges = Array.from({ length: count - 3 }, (_, i): [number, number] => [Math.floor(i / 3), i + 3]);
    const widths = Array.from({ length: count }, (_, i) => 100 + (i % 40));
    const { places } = layOut({ widths, height: 34, edges });
    for (const [from, to] of edges) assert.ok(places[2 * to]! >= places[2 * from]! + widths[from]!);
    const order = widths.map((_, i) => i).sort((a, b) => places[2 * a]! - places[2 * b]!);
    const columns = Map.groupBy(order, (i) => Math.round(places[2 * i]!));
    for (const column of columns.values()) {
      const tops = column.map((i) => places[2 * i + 1]!).sort((a, b) => a - b);
      for (let i = 1; i < tops.length; i += 1) assert.ok(tops[i]! - tops[i - 1]! >= 34);
    }
  }
});

test('5,000 actions are laid out within seconds, also when they lie in a circle', () => {
  const count = 5000;
  const edges = Array.from({ length: count }, (_, i): [number, number] => [i, (i + 7) % count]);
  const { places } = layOut({ widths: new Array<number>(count).fill(120), height: 34, edges });
  assert.ok(places.every(Number.isFinite));
});
