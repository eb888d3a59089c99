import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { test } from 'node:test';
import { families } from '../../src/lab/families/index.ts';
import { chain, cybershake, diamonds, epigenomics, montage } from '../../src/lab/families/shapes.ts';
import { depthsOf, sinksOf, type Template } from '../../src/lab/families/template.ts';
import { datasetCount, type History, parentsOf } from '../../src/lab/history.ts';
import { HistoryBuilder } from '../../src/lab/history-builder.ts';
import { generateHistory } from '../../src/lab/history-source.ts';
import { Random } from '../../src/lab/random.ts';

const instances = globSync('examples/lab/instances/*.json').sort();
const optionsOf = (family: string, seed: number) => ({
  family,
  seed,
  parameters: family === 'wfinst' ? { instances } : {},
});

function checkHistory(history: History): void {
  const count = datasetCount(history);
  for (let d = 0; d < count; d += 1) {
    assert.ok(history.sizeBytes[d]! >= 1 && Number.isInteger(history.sizeBytes[d]));
    assert.ok(history.computeSeconds[d]! >= 0);
    for (const parent of parentsOf(history, d)) assert.ok(parent < d, 'parents come first');
    assert.equal(new Set(parentsOf(history, d)).size, parentsOf(history, d).length, 'no edge twice');
  }
  let known = 0;
  for (const run of history.runs) {
    assert.equal(run.firstNew, known);
    const members = new Set(run.members);
    for (const d of members) {
      for (const parent of parentsOf(history, d)) assert.ok(members.has(parent), 'closed over ancestors');
    }
    const read = new Set([...members].flatMap((d) => [...parentsOf(history, d)]));
    for (const d of members) if (!read.has(d)) assert.ok(run.results.includes(d), 'sinks are results');
    for (const d of run.results) assert.ok(members.has(d));
    for (const d of members) if (d >= known) assert.equal(d, known++, 'numbered by first appearance');
  }
  assert.equal(known, count, 'every dataset is wanted by some run');
}

for (const family of Object.keys(families)) {
  test(`family ${family} makes histories that are closed, acyclic, numbered in order, and equal for equal seeds`, () => {
    for (const seed of [1, 2]) {
      const history = generateHistory(optionsOf(family, seed));
      checkHistory(history);
      assert.ok(history.runs.length >= 50);
      assert.deepEqual(generateHistory(optionsOf(family, seed)), history);
    }
    assert.notDeepEqual(
      generateHistory(optionsOf(family, 1)).computeSeconds,
      generateHistory(optionsOf(family, 2)).computeSeconds,
    );
  });
}

test('the thesis generator uses its whole pool of actions and obeys its parameters', () => {
  const history = generateHistory({ family: 'thesis', seed: 5, parameters: { actions: 400 } });
  assert.equal(datasetCount(history), 400);
  const sizes = history.sizeBytes.reduce((sum, size) => sum + size, 0) / 400 / 1e6;
  assert.ok(sizes > 350 && sizes < 460, `mean size ${sizes} MB`);
  const reused = history.runs.filter((run) => run.members[0]! < run.firstNew).length;
  assert.ok(reused > history.runs.length / 3, 'earlier actions are picked');
});

test('a workflow of the thesis generator always has something new, however small it is', () => {
  const parameters = {
    actions: 60,
    workflowSize: { mean: 2, deviation: 3 },
    previousShare: { mean: 1, deviation: 0 },
  };
  const history = generateHistory({ family: 'thesis', seed: 9, parameters });
  checkHistory(history);
  history.runs.forEach((run, j) => {
    assert.ok((history.runs[j + 1]?.firstNew ?? 60) > run.firstNew);
  });
});

test('picked actions without a child become results or are left out, as asked', () => {
  const of = (childless: string) =>
    generateHistory({ family: 'thesis-sparse', seed: 4, parameters: { childless } });
  const oldResults = (history: History) =>
    history.runs.reduce((sum, run) => sum + run.results.filter((d) => d < run.firstNew).length, 0);
  assert.ok(oldResults(of('result')) > 0);
  assert.equal(oldResults(of('dropped')), 0);
});

test('an edit changes what lies below it and nothing else', () => {
  const history = generateHistory({ family: 'sweep', seed: 2 });
  for (const [j, run] of history.runs.entries()) {
    const end = history.runs[j + 1]?.firstNew ?? datasetCount(history);
    for (const d of run.members) {
      const fresh = d >= run.firstNew && d < end;
      if (parentsOf(history, d).some((parent) => parent >= run.firstNew)) assert.ok(fresh);
    }
  }
});

test('shapes are acyclic and end where they should', () => {
  const random = new Random(1);
  const endsOf = (template: Template) => sinksOf(template).map((i) => template.tasks[i]!.stage);
  assert.deepEqual(endsOf(montage(random, 8)), ['picture']);
  assert.deepEqual(endsOf(epigenomics(random, 2, 4)), ['pileup']);
  assert.deepEqual(endsOf(cybershake(random, 2, 6)), ['zip-waves', 'zip-peaks']);
  assert.equal(Math.max(...depthsOf(chain(random, 7))), 6);
  assert.equal(Math.max(...depthsOf(diamonds(random, 3, 2))), 7);
});

test('an unknown family or parameter and a value of the wrong form are refused with what is known', () => {
  assert.throws(() => generateHistory({ family: 'zip', seed: 1 }), { code: 'LAB_UNKNOWN_FAMILY' });
  assert.throws(() => generateHistory({ family: 'toString', seed: 1 }), { code: 'LAB_UNKNOWN_FAMILY' });
  const wrong = (parameters: object, code: string) =>
    assert.throws(() => generateHistory({ family: 'zipf', seed: 1, parameters: parameters as never }), {
      code,
    });
  wrong({ action: 5 }, 'LAB_UNKNOWN_PARAMETER');
  wrong({ actions: 'many' }, 'LAB_BAD_PARAMETER');
  wrong({ seconds: { mean: 1 } }, 'LAB_BAD_PARAMETER');
  assert.throws(() => generateHistory({ family: 'wfinst', seed: 1 }), { code: 'LAB_NO_INSTANCES' });
});

test('a builder renumbers by first appearance and drops what nobody wants', () => {
  const builder = new HistoryBuilder();
  const add = (label: string, parents: number[]) =>
    builder.addDataset({ label, sizeBytes: 1.4, computeSeconds: 1, parents });
  const a = add('a', []);
  add('unused', [a]);
  const b = add('b', []);
  const c = add('c', [b, a, b]);
  builder.addRun({ results: [b] });
  builder.addRun({ results: [c] });
  const history = builder.build({ family: 'test' });
  assert.deepEqual(history.labels, ['b', 'a', 'c']);
  assert.deepEqual([...parentsOf(history, 2)], [0, 1]);
  assert.throws(
    () => builder.addDataset({ label: 'x', sizeBytes: 1, computeSeconds: 1, parents: [99] }),
    RangeError,
  );
});

test('random numbers are uniform enough and streams differ', () => {
  const random = new Random(7, 'a');
  const draws = Array.from({ length: 20_000 }, () => random.uniform());
  const mean = draws.reduce((sum, x) => sum + x, 0) / draws.length;
  assert.ok(Math.abs(mean - 0.5) < 0.01);
  const normal = Array.from({ length: 20_000 }, () => random.normal(3, 2));
  const average = normal.reduce((sum, x) => sum + x, 0) / normal.length;
  assert.ok(Math.abs(average - 3) < 0.06);
  assert.notEqual(new Random(7, 'a').bits(), new Random(7, 'b').bits());
  assert.equal(new Random(7, 'a').bits(), new Random(7, 'a').bits());
});
