import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deserialize, serialize } from 'node:v8';
import { DecisionHistory } from '../../src/core/eviction/decision-history.ts';
import { DecisionSession } from '../../src/core/eviction/decision-session.ts';
import { datasetMarks } from '../../src/core/ports/decision-algorithm.ts';
import { defaultAlgorithm, fallbackAlgorithm, shippedAlgorithms } from '../../src/decisions/shipped.ts';
import { checkAlgorithm } from '../../src/lab/check-algorithm.ts';
import { checkCase } from '../../src/lab/check-cases.ts';
import { random } from '../../src/lab/lab-algorithms.ts';

for (const algorithm of [...Object.values(shippedAlgorithms), random]) {
  test(`${algorithm.name} passes the contract suite`, () => {
    assert.deepEqual(checkAlgorithm(algorithm, { cases: 40 }), []);
  });
}

for (const algorithm of Object.values(shippedAlgorithms)) {
  test(`${algorithm.name} decides the same whether it followed along, came late or was saved half-way`, () => {
    for (const index of [2, 8, 11]) {
      const { past, facts } = checkCase(index);
      const late = new DecisionSession(algorithm);
      const saved = new DecisionSession(algorithm);
      saved.catchUp({ count: Math.floor(past.log.count / 2), event: (i) => past.log.event(i) }, past.table);
      const snapshot = deserialize(serialize(saved.snapshot()));
      const restored = new DecisionSession(algorithm, {}, snapshot);
      assert.deepEqual(restored.decide(facts), late.decide(facts));
    }
  });
}

test('the default and the fallback are shipped', () => {
  assert.ok(shippedAlgorithms[defaultAlgorithm] && shippedAlgorithms[fallbackAlgorithm]);
});

/** Datasets without edges, all stored after one run; `use` demands some of them in further runs. */
function flat(sizes: readonly number[], seconds: readonly number[]) {
  const past = new DecisionHistory();
  sizes.forEach((sizeBytes, d) => {
    past.table.add({ identity: d, sizeBytes, computeSeconds: seconds[d]!, parents: [] });
  });
  const all = sizes.map((_, d) => d);
  past.recordRun({ at: 1000, members: all, results: [], computed: all });
  return {
    past,
    use(datasets: readonly number[]) {
      const fresh = past.table.add({ identity: 99, sizeBytes: 0, computeSeconds: 0, parents: datasets });
      past.recordRun({
        at: (past.log.runs + 1) * 1000,
        members: [...datasets, fresh],
        results: [fresh],
        computed: [fresh],
      });
    },
    firstToGo(name: string): number {
      const session = new DecisionSession(shippedAlgorithms[name]!);
      return session.decide(past.facts((past.log.runs + 1) * 1000, 1)).giveUp[0]!;
    },
  };
}

test('each algorithm gives up what its rule says', () => {
  const even = flat([10, 10, 10], [5, 5, 5]);
  even.use([0, 1]);
  even.use([0, 2]);
  even.use([0]);
  assert.equal(even.firstToGo('lru'), 1);
  assert.equal(even.firstToGo('lfu-decay'), 1);
  assert.equal(even.firstToGo('most-commonly-used'), 1);
  assert.equal(flat([10, 30, 20], [1, 1, 1]).firstToGo('size'), 1);
  const costly = flat([10, 10, 80], [5, 1, 5]);
  for (const name of ['gdsf', 'nectar', 'hamr']) assert.equal(costly.firstToGo(name), 2, name);
});

test('what gdsf gives up lifts its clock, so that unused datasets age', () => {
  const world = flat([10, 10], [100, 10]);
  for (let i = 0; i < 12; i += 1) world.use([1]);
  assert.equal(world.firstToGo('gdsf'), 0);
});

test('what a run under way computed counts as used just now, though no event tells of it yet', () => {
  for (const name of Object.keys(shippedAlgorithms)) {
    const world = flat(Array(200).fill(10), Array(200).fill(5));
    for (let i = 0; i < 40; i += 1) world.use([i % 5]);
    const { past } = world;
    const fresh = past.table.add({ identity: 0, sizeBytes: 9, computeSeconds: 5, parents: [] });
    past.table.mark(fresh, datasetMarks.stored);
    const now = (past.log.runs + 1) * 1000;
    past.table.firstRun[fresh] = past.table.lastDemandRun[fresh] = past.log.runs - 1;
    past.table.lastAccessAt[fresh] = now;
    const facts = { ...past.facts(now, 150 * 10), window: Int32Array.from([...past.log.window(199), fresh]) };
    const { giveUp } = new DecisionSession(shippedAlgorithms[name]!).decide(facts);
    assert.ok(!Array.from(giveUp).includes(fresh), name);
  }
});

test('a dataset that turned out non-deterministic is the last to go', () => {
  const world = flat([10, 10, 10], [1, 50, 50]);
  world.past.table.mark(0, datasetMarks.nondeterministic);
  for (const algorithm of Object.values(shippedAlgorithms)) {
    const { giveUp } = new DecisionSession(algorithm).decide(world.past.facts(9000, 20));
    assert.deepEqual(Array.from(giveUp).sort(), [1, 2], algorithm.name);
  }
});
