import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shippedAlgorithms } from '../../src/decisions/shipped.ts';
import { boundHistory } from '../../src/lab/bounds/bound.ts';
import { KeepNetworks } from '../../src/lab/bounds/keep-networks.ts';
import { FlowNetwork } from '../../src/lab/bounds/max-flow.ts';
import type { History } from '../../src/lab/history.ts';
import { HistoryBuilder } from '../../src/lab/history-builder.ts';
import { random } from '../../src/lab/lab-algorithms.ts';
import { Random } from '../../src/lab/random.ts';
import { replay } from '../../src/lab/replay.ts';
import { planReplay } from '../../src/lab/replay-plan.ts';

/** A few runs over a small random graph: chains, fans and diamonds come up by chance. */
function smallHistory(seed: number): History {
  const draw = new Random(seed, 'small');
  const builder = new HistoryBuilder();
  const known: number[] = [];
  for (let run = 0; run < 7; run += 1) {
    const fresh: number[] = [];
    for (let i = 0; i < 1 + draw.below(3); i += 1) {
      const pool = [...known, ...fresh];
      const parents = pool.filter(() => draw.chance(1.6 / Math.max(1.6, pool.length)));
      const label = `d${known.length + fresh.length}`;
      const sizeBytes = 1 + draw.below(9);
      fresh.push(builder.addDataset({ label, sizeBytes, computeSeconds: 1 + draw.below(30), parents }));
    }
    known.push(...fresh);
    const again = known.filter(() => draw.chance(0.1));
    builder.addRun({ results: [fresh.at(-1)!, ...again] });
  }
  return builder.build({ family: 'small', seed });
}

test('lower bound ≤ optimum ≤ upper bound ≤ every algorithm, on hundreds of small histories', () => {
  const algorithms = [...Object.values(shippedAlgorithms), random];
  let cases = 0;
  let tight = 0;
  for (let seed = 0; cases < 400; seed += 1) {
    const plan = planReplay(smallHistory(seed));
    const networks = new KeepNetworks(plan);
    const reusable = networks.reusable().length;
    if (reusable < 3 || reusable > 9) continue;
    const budgetBytes = Math.floor(plan.footprintBytes * [0.1, 0.25, 0.5][seed % 3]!);
    const achieved = algorithms.map((one) => replay(plan, one, { budgetBytes }).totalSeconds);
    const bounds = boundHistory(plan, { budgetBytes, networks, steps: 30, achievedSeconds: achieved });
    const { lowerSeconds, upperSeconds, optimalSeconds, unlimitedSeconds, bareSeconds } = bounds;
    const where = `seed ${seed}`;
    assert.ok(optimalSeconds !== undefined, where);
    assert.ok(unlimitedSeconds <= lowerSeconds + 1e-9, where);
    assert.ok(
      lowerSeconds <= optimalSeconds + 1e-6,
      `${where}: lower ${lowerSeconds}, optimum ${optimalSeconds}`,
    );
    assert.ok(
      optimalSeconds <= upperSeconds + 1e-6,
      `${where}: optimum ${optimalSeconds}, upper ${upperSeconds}`,
    );
    for (const [i, seconds] of achieved.entries()) {
      assert.ok(upperSeconds <= seconds + 1e-6, `${where}: ${algorithms[i]!.name} beat the upper bound`);
      assert.ok(
        seconds <= bareSeconds + 1e-6,
        `${where}: ${algorithms[i]!.name} is worse than keeping nothing`,
      );
    }
    cases += 1;
    if (upperSeconds - optimalSeconds < 1e-6) tight += 1;
  }
  assert.ok(tight > cases * 0.8, `the best schedule found is optimal in only ${tight} of ${cases} cases`);
});

test('with the whole footprint as budget every algorithm computes everything once', () => {
  for (const seed of [1, 2, 3]) {
    const plan = planReplay(smallHistory(seed));
    for (const algorithm of Object.values(shippedAlgorithms)) {
      const { totalSeconds, decisions } = replay(plan, algorithm, { budgetBytes: plan.footprintBytes });
      assert.ok(Math.abs(totalSeconds - plan.unlimitedSeconds) < 1e-9);
      assert.equal(decisions, 0);
    }
  }
});

test('a chain is worth keeping at its end, a diamond only as a whole', () => {
  const builder = new HistoryBuilder();
  const add = (label: string, parents: number[], seconds: number) =>
    builder.addDataset({ label, sizeBytes: 10, computeSeconds: seconds, parents });
  const a = add('a', [], 100);
  const b = add('b', [a], 1);
  const c = add('c', [a], 1);
  const d = add('d', [b, c], 1);
  builder.addRun({ results: [d] });
  builder.addRun({ results: [add('e', [b, c], 1)] });
  const plan = planReplay(builder.build({ family: 'test' }));
  const optimum = (budgetBytes: number) =>
    boundHistory(plan, { budgetBytes }).optimalSeconds! - plan.unlimitedSeconds;
  assert.equal(optimum(0), 102);
  assert.equal(optimum(10), 2);
  assert.equal(optimum(20), 0);
});

test('maximum flow on a network with a known answer, again after capacities changed', () => {
  const network = new FlowNetwork(4, 5);
  const edges = [
    [0, 1, 3],
    [0, 2, 2],
    [1, 2, 5],
    [1, 3, 2],
    [2, 3, 3],
  ].map(([from, to, capacity]) => ({ edge: network.addEdge(from!, to!), capacity: capacity! }));
  const fill = (factor: number) => {
    for (const { edge, capacity } of edges) network.setCapacity(edge, capacity * factor);
  };
  fill(1);
  assert.equal(network.maxFlow(0, 3), 5);
  fill(2);
  assert.equal(network.maxFlow(0, 3), 10);
  assert.ok(network.onSourceSide(0) && !network.onSourceSide(3));
});
