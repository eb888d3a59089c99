import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isAvailable } from '../../../src/core/eviction/dataset-table.ts';
import { DecisionHistory } from '../../../src/core/eviction/decision-history.ts';
import { LineageWalk } from '../../../src/core/eviction/lineage-walk.ts';
import { giveUpByMarginalCost } from '../../../src/core/eviction/marginal-greedy.ts';
import { recomputeSeconds } from '../../../src/core/eviction/recompute-cost.ts';
import { datasetMarks, type KnownDatasets } from '../../../src/core/ports/decision-algorithm.ts';
import { Random } from '../../../src/lab/random.ts';

function randomGraph(seed: number, count: number): { past: DecisionHistory; rate: Float64Array } {
  const random = new Random(seed, 'graph');
  const past = new DecisionHistory();
  for (let d = 0; d < count; d += 1) {
    const parents = Array.from({ length: d }, (_, p) => p).filter(() => random.chance(2.2 / count));
    const sizeBytes = 1 + random.below(20);
    past.table.add({ identity: random.bits(), sizeBytes, computeSeconds: 1 + random.below(20), parents });
    if (random.chance(0.5)) past.table.mark(d, datasetMarks.stored);
  }
  return { past, rate: Float64Array.from({ length: count }, () => random.uniform() * 0.1) };
}

/** Expected seconds of the next run if each dataset were demanded alone with its probability. */
function expectedSeconds(known: KnownDatasets, marks: Uint8Array, rate: Float64Array): number {
  let sum = 0;
  for (let d = 0; d < known.count; d += 1) {
    if (!isAvailable(marks[d]!)) sum += rate[d]! * recomputeSeconds(known, marks, d);
  }
  return sum;
}

test('the price of a dataset is exactly what its absence adds to the expected time', () => {
  for (let seed = 0; seed < 60; seed += 1) {
    const { past, rate } = randomGraph(seed, 14);
    const { table } = past;
    const marks = table.marks.slice(0, table.count);
    const walk = new LineageWalk(table, marks, 24);
    const before = expectedSeconds(table, marks, rate);
    for (let d = 0; d < table.count; d += 1) {
      if (!isAvailable(marks[d]!)) continue;
      assert.ok(walk.walkUp(d) && walk.walkDown(d));
      let seconds = 0;
      let demand = 0;
      for (let i = 0; i < walk.upCount; i += 1) seconds += table.computeSeconds[walk.up[i]!]!;
      for (let i = 0; i < walk.downCount; i += 1) demand += rate[walk.down[i]!]!;
      const price = demand * seconds - walk.overlap(d, rate)!;
      marks[d] = 0;
      const added = expectedSeconds(table, marks, rate) - before;
      marks[d] = datasetMarks.stored;
      assert.ok(Math.abs(price - added) < 1e-9, `seed ${seed}, dataset ${d}: ${price} is not ${added}`);
    }
  }
});

test('when all but one have to go, the one that is kept is worth more per byte than any other alone', () => {
  for (let seed = 0; seed < 40; seed += 1) {
    const { past, rate } = randomGraph(seed, 10);
    const { table } = past;
    for (let d = 0; d < table.count; d += 1) {
      table.marks[d] = datasetMarks.stored;
      table.sizeBytes[d] = 10;
    }
    const { giveUp } = giveUpByMarginalCost(past.facts(0, 90), rate);
    const kept = Array.from({ length: table.count }, (_, d) => d).filter((d) => !giveUp.includes(d));
    assert.equal(kept.length, 1);
    const timeWithOnly = (d: number) => {
      const marks = new Uint8Array(table.count);
      marks[d] = datasetMarks.stored;
      return expectedSeconds(table, marks, rate);
    };
    const best = Math.min(...Array.from({ length: table.count }, (_, d) => timeWithOnly(d)));
    // Greedy, not optimal: it must come near the best single choice.
    assert.ok(timeWithOnly(kept[0]!) <= best * 1.35, `seed ${seed}`);
  }
});

test('of a chain the dataset goes that the others make cheap, not the one that shields them', () => {
  const past = new DecisionHistory();
  const seconds = [100, 1, 1];
  seconds.forEach((computeSeconds, d) => {
    past.table.add({ identity: d, sizeBytes: 10, computeSeconds, parents: d === 0 ? [] : [d - 1] });
    past.table.mark(d, datasetMarks.stored);
  });
  const { giveUp } = giveUpByMarginalCost(past.facts(0, 20), Float64Array.of(0.1, 0.1, 0.1));
  assert.deepEqual([...giveUp].sort(), [1, 2]);
});

test('walks that meet too many relatives say so', () => {
  const past = new DecisionHistory();
  for (let d = 0; d < 60; d += 1) {
    past.table.add({ identity: d, sizeBytes: 1, computeSeconds: 1, parents: d === 0 ? [] : [d - 1] });
  }
  const walk = new LineageWalk(past.table, past.table.marks, 24);
  assert.equal(walk.walkUp(59), false);
  assert.equal(walk.upCount, 24);
  assert.equal(walk.walkDown(0), false);
  assert.equal(walk.walkUp(10), true);
});

test('the recompute time stops at what is there and at the limit', () => {
  const past = new DecisionHistory();
  for (let d = 0; d < 6; d += 1) {
    past.table.add({ identity: d, sizeBytes: 1, computeSeconds: 1, parents: d === 0 ? [] : [d - 1] });
  }
  past.table.mark(2, datasetMarks.leaf);
  assert.equal(recomputeSeconds(past.table, past.table.marks, 5), 3);
  assert.equal(recomputeSeconds(past.table, new Uint8Array(6), 5), 6);
  assert.equal(recomputeSeconds(past.table, new Uint8Array(6), 5, 4), 4);
});
