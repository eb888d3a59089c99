// The benchmarks' own tools: graphs, medians, and the page that is made of the figures.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { timeSpent } from '../../bench/harness/cpu-profile.ts';
import { expectedSeconds } from '../../bench/harness/effort.ts';
import { leavesOf, makeGraph } from '../../bench/harness/graphs.ts';
import { median } from '../../bench/harness/measure.ts';
import { parts } from '../../bench/harness/parts.ts';
import { logTicks, movedApart } from '../../bench/report/plot.ts';
import { renderPage } from '../../bench/report/render-page.ts';

const root = join(import.meta.dirname, '..', '..');

test('every file of bench/ is a part, and every part a file', () => {
  const files = globSync('*.ts', { cwd: join(root, 'bench') }).map((name) => name.replace('.ts', ''));
  assert.deepEqual(files.filter((name) => name !== 'run').sort(), parts.map(({ name }) => name).sort());
});

test('parents of every graph come before their children, and the shapes are what they are called', () => {
  for (const shape of ['fan', 'chain', 'layers', 'diamond'] as const) {
    for (const count of [20, 200, 350]) {
      const { tasks } = makeGraph(shape, count);
      for (const { id, parents } of tasks)
        for (const parent of parents) assert.ok(parent >= 1 && parent < id, `${shape} ${id} after ${parent}`);
    }
  }
  assert.equal(leavesOf(makeGraph('fan', 20)).length, 20);
  assert.deepEqual(leavesOf(makeGraph('chain', 20)), [20]);
  assert.deepEqual(leavesOf(makeGraph('diamond', 20)), [20]);
  assert.deepEqual(makeGraph('layers', 200).tasks[100]!.parents, [87, 88]);
});

test('a median is the middle, or between the two middle ones', () => {
  assert.equal(median([3, 1, 2]), 2);
  assert.equal(median([4, 1, 2, 3]), 2.5);
});

test('how long a size will take is told by the two sizes before it', () => {
  const point = (size: number, seconds: number) => {
    return { workload: 'fan', scenario: 'cold', size, engine: 'x', seconds: [seconds], peakMegabytes: 1 };
  };
  assert.equal(expectedSeconds([], 'x', 'fan', 'cold', 200), undefined);
  assert.equal(expectedSeconds([point(20, 2)], 'x', 'fan', 'cold', 200), 20);
  const grown = expectedSeconds([point(20, 2), point(200, 3.8)], 'x', 'fan', 'cold', 2000);
  assert.equal(grown?.toFixed(6), '21.800000');
  assert.equal(expectedSeconds([point(20, 2)], 'x', 'chain', 'cold', 200), undefined);
});

test('a profile is divided by what called what', () => {
  const node = (id: number, functionName: string, url: string, children: number[] = []) => {
    return { id, callFrame: { functionName, url }, children };
  };
  const nodes = [
    node(1, '(root)', '', [2, 3, 8]),
    node(2, '(idle)', ''),
    node(3, 'step', 'file:///varve/src/engine/step.ts', [4, 5, 7]),
    node(4, 'move', 'file:///varve/src/store/queries/move.ts', [6]),
    node(5, 'mkdirSync', 'node:fs', [9]),
    node(6, 'run', ''),
    node(7, 'parse', ''),
    node(8, 'onread', 'node:net'),
    node(9, 'mkdir', ''),
  ];
  const { seconds, byKind, functions } = timeSpent({
    nodes,
    samples: [2, 6, 9, 7, 8],
    timeDeltas: [1e6, 2e6, 3e6, 4e6, 5e6],
  });
  assert.equal(seconds, 15);
  const { waiting, store, files, engine, processes } = byKind;
  assert.deepEqual([waiting, store, files, engine, processes], [1, 2, 3, 4, 5]);
  assert.deepEqual(functions[0], ['onread', 5]);
});

test('names in a picture keep apart and inside, and ticks enclose the values', () => {
  assert.deepEqual(movedApart([10, 10, 50], 15, [0, 100]), [10, 25, 50]);
  assert.deepEqual(movedApart([98, 99], 15, [0, 100]), [85, 100]);
  assert.deepEqual(logTicks([3, 40]), [2, 5, 10, 20, 50]);
  assert.deepEqual(logTicks([0.02, 90]), [0.01, 0.1, 1, 10, 100]);
  assert.deepEqual(logTicks([7, 7]), [5, 10]);
});

test('the page of benchmarks shows the figures that are kept beside it', () => {
  const results = JSON.parse(readFileSync(join(root, 'docs', 'benchmarks.json'), 'utf8'));
  const { text, pictures } = renderPage(results);
  assert.equal(readFileSync(join(root, 'docs', 'benchmarks.md'), 'utf8'), text);
  const kept = globSync('bench-*.svg', { cwd: join(root, 'docs', 'pictures') }).sort();
  assert.deepEqual(kept, Object.keys(pictures).sort());
  for (const [name, picture] of Object.entries(pictures))
    assert.equal(readFileSync(join(root, 'docs', 'pictures', name), 'utf8'), picture);
});
