import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RunEvent } from '../../src/core/ports/decision-algorithm.ts';
import { demandRates, emptyHazard, observeRun } from '../../src/decisions/demand-hazard.ts';
import { cellCount, cellOf, fitHazard } from '../../src/decisions/hazard-fit.ts';
import { generateHistory } from '../../src/lab/history-source.ts';
import { planReplay } from '../../src/lab/replay-plan.ts';

function eventsOf(family: string): RunEvent[] {
  const plan = planReplay(generateHistory({ family, seed: 3 }));
  return plan.history.runs.map((run, number) => ({
    kind: 'run',
    number,
    at: run.at,
    members: run.members,
    results: run.results,
    demanded: plan.demands[number]!,
    computed: new Int32Array(),
  }));
}

/** The same counts, made by looking at every known dataset in every run. */
function bruteForce(events: readonly RunEvent[]) {
  const demands = new Float64Array(cellCount);
  const exposures = new Float64Array(cellCount);
  const known = new Map<number, { uses: number; demanded: number; seen: number; leaf: boolean }>();
  for (const { number, members, demanded, results } of events) {
    for (let cell = 0; cell < cellCount; cell += 1) {
      demands[cell]! *= 0.995;
      exposures[cell]! *= 0.995;
    }
    const wanted = new Set(demanded);
    for (const [d, about] of known) {
      if (about.leaf) continue;
      const cell = cellOf(about.uses, number - about.demanded, number - about.seen);
      exposures[cell]! += 1;
      if (wanted.has(d)) demands[cell]! += 1;
    }
    for (const d of members) {
      const about = known.get(d) ?? { uses: 0, demanded: number, seen: number, leaf: false };
      known.set(d, { ...about, seen: number });
    }
    for (const d of demanded) {
      const about = known.get(d)!;
      known.set(d, { ...about, uses: about.uses + 1, demanded: number });
    }
    for (const d of results) known.get(d)!.leaf = true;
  }
  return { demands, exposures };
}

test('counting only what changes gives the same figures as looking at everything', () => {
  for (const family of ['thesis', 'pegasus']) {
    const events = eventsOf(family);
    const state = emptyHazard();
    for (const event of events) observeRun(state, event);
    const expected = bruteForce(events);
    for (let cell = 0; cell < cellCount; cell += 1) {
      assert.ok(Math.abs(state.demands[cell]! - expected.demands[cell]!) < 1e-6, `demands of cell ${cell}`);
      assert.ok(
        Math.abs(state.exposures[cell]! - expected.exposures[cell]!) < 1e-6,
        `exposures of cell ${cell}`,
      );
    }
  }
});

test('rates are probabilities, and recent and frequent use raises them', () => {
  const state = emptyHazard();
  const events = eventsOf('sweep');
  for (const event of events) observeRun(state, event);
  const rates = demandRates(state, state.count + 5);
  assert.ok(rates.every((rate) => rate > 0 && rate < 1));
  const { table } = fitHazard(state.demands, state.exposures);
  assert.ok(table[cellOf(3, 1, 1)]! > 3 * table[cellOf(0, 60, 60)]!);
});

test('without any evidence every dataset has the same rate', () => {
  const { table, overall } = fitHazard(new Float64Array(cellCount), new Float64Array(cellCount));
  assert.ok(table.every((rate) => Math.abs(rate - overall) < 1e-12));
});
