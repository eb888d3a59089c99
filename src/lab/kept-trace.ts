// What an algorithm kept over time, as a small picture: runs from left to right, datasets by age of birth from bottom to
// top, and in each field the share of the bytes born then that are there now.
import type { DecisionAlgorithm } from '../core/ports/decision-algorithm.ts';
import { datasetMarks } from '../core/ports/decision-algorithm.ts';
import { type ReplayOptions, replay } from './replay.ts';
import type { ReplayPlan } from './replay-plan.ts';

export interface KeptTrace {
  readonly family: string;
  readonly algorithm: string;
  readonly budgetBytes: number;
  readonly runs: number;
  readonly columns: number;
  readonly rows: number;
  /** Share kept, column by column, the oldest births first; -1 where nothing was born yet. */
  readonly shares: readonly number[];
  /** Bytes held outside results after each column's last run. */
  readonly heldBytes: readonly number[];
}

const mostColumns = 96;
const mostRows = 48;

export function traceKept(
  plan: ReplayPlan,
  algorithm: DecisionAlgorithm,
  name: string,
  options: ReplayOptions,
): KeptTrace {
  const { history, leafAfter } = plan;
  const runs = history.runs.length;
  const columns = Math.min(mostColumns, runs);
  const rows = Math.min(mostRows, runs);
  const bornIn = new Int32Array(history.sizeBytes.length);
  history.runs.forEach((run, j) => {
    bornIn.fill(j, run.firstNew);
  });
  const shares: number[] = [];
  const heldBytes: number[] = [];
  replay(plan, algorithm, {
    ...options,
    onRun(run, marks, known) {
      const column = Math.floor((run * columns) / runs);
      if (run + 1 < runs && Math.floor(((run + 1) * columns) / runs) === column) return;
      const kept = new Float64Array(rows);
      const born = new Float64Array(rows);
      let held = 0;
      for (let d = 0; d < known; d += 1) {
        if (leafAfter[d]! <= run) continue;
        const row = Math.floor((bornIn[d]! * rows) / runs);
        born[row]! += history.sizeBytes[d]!;
        if ((marks[d]! & datasetMarks.stored) === 0) continue;
        kept[row]! += history.sizeBytes[d]!;
        held += history.sizeBytes[d]!;
      }
      for (let row = 0; row < rows; row += 1) shares.push(born[row] === 0 ? -1 : kept[row]! / born[row]!);
      heldBytes.push(held);
    },
  });
  return {
    family: history.origin.family,
    algorithm: name,
    budgetBytes: options.budgetBytes,
    runs,
    columns,
    rows,
    shares,
    heldBytes,
  };
}
