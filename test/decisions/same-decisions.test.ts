// Simulation and real execution make the same decisions on the same history: real processes write real files, the engine records, decides
// and deletes, and after every run exactly the same datasets are there as in the simulation.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { realHistory, runHistory } from '../../src/cli/laboratory/run-history.ts';
import { datasetMarks } from '../../src/core/ports/decision-algorithm.ts';
import { shippedAlgorithms } from '../../src/decisions/shipped.ts';
import type { History } from '../../src/lab/history.ts';
import { generateHistory } from '../../src/lab/history-source.ts';
import { replay } from '../../src/lab/replay.ts';
import { planReplay } from '../../src/lab/replay-plan.ts';

function simulatedHolds(
  history: History,
  algorithm: string,
  budgetBytes: number,
  lowMark: number,
): string[][] {
  const held: string[][] = [];
  replay(planReplay(history), shippedAlgorithms[algorithm]!, {
    budgetBytes,
    lowMark,
    onRun(_, marks, known) {
      const labels: string[] = [];
      for (let d = 0; d < known; d += 1) {
        if ((marks[d]! & (datasetMarks.stored | datasetMarks.leaf)) === datasetMarks.stored)
          labels.push(history.labels[d]!);
      }
      held.push(labels.sort());
    },
  });
  return held;
}

const cases = [
  { algorithm: 'hamr', family: 'thesis', seed: 3, parameters: { actions: 70 }, share: 0.15, lowMark: 0.9 },
  { algorithm: 'hamr', family: 'diamond', seed: 5, parameters: { runs: 12 }, share: 0.2, lowMark: 1 },
  { algorithm: 'gdsf', family: 'zipf', seed: 4, parameters: { actions: 70 }, share: 0.15, lowMark: 1 },
  { algorithm: 'lru', family: 'sweep', seed: 7, parameters: { runs: 12 }, share: 0.3, lowMark: 0.8 },
  {
    algorithm: 'most-commonly-used',
    family: 'thesis',
    seed: 9,
    parameters: { actions: 60 },
    share: 0.2,
    lowMark: 1,
  },
];

for (const { algorithm, family, seed, parameters, share, lowMark } of cases) {
  test(`${algorithm} decides for real on ${family} as in the simulation`, async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'varve-same-'));
    t.after(() => rm(folder, { recursive: true, force: true }));
    const generated = generateHistory({ family, seed, parameters });
    const mean = generated.sizeBytes.reduce((sum, bytes) => sum + bytes, 0) / generated.sizeBytes.length;
    const history = realHistory(generated, 4000 / mean);
    const budgetBytes = Math.floor(planReplay(history).footprintBytes * share);
    const problems: unknown[] = [];
    const real = await runHistory(history, {
      folder,
      algorithm,
      budgetBytes,
      lowMark,
      decide: 'between-runs',
      timeScale: 0,
      launcher: 'sh',
      onProblem: (error) => problems.push(error),
    });
    assert.deepEqual(problems, []);
    assert.ok(real.decisions > 0, 'something was decided');
    const simulated = simulatedHolds(history, algorithm, budgetBytes, lowMark);
    for (const [j, run] of real.runs.entries())
      assert.deepEqual(run.held, simulated[j], `after run ${j + 1}`);
    const { totalSeconds } = replay(planReplay(history), shippedAlgorithms[algorithm]!, {
      budgetBytes,
      lowMark,
    });
    assert.ok(Math.abs(real.totalSeconds - totalSeconds) < 1e-6);
  });
}
