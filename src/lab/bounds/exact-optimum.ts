// The exact optimum of small histories by dynamic programming over sets of stored datasets. Sets need not be maximal: a
// stored dataset can hide the computation of a parent that would otherwise become storable.
import { datasetMarks } from '../../core/ports/decision-algorithm.ts';
import { toCompute } from '../replay.ts';
import { knownAfter, type ReplayPlan } from '../replay-plan.ts';

/** Reusable datasets up to which the optimum is computed: time and memory grow as two to their number. */
export const exactLimit = 18;

/** Least recomputation within the budget; `reusable` are the datasets that some run may need again. */
export function exactOptimum(plan: ReplayPlan, reusable: readonly number[], budgetBytes: number): number {
  const { history } = plan;
  const n = reusable.length;
  if (n > exactLimit) throw new RangeError(`${n} reusable datasets are more than ${exactLimit}`);
  const bit = new Map(reusable.map((d, i) => [d, 1 << i]));
  const sizes = setSizes(reusable.map((d) => history.sizeBytes[d]!));
  const lastNeed = lastNeeds(plan, reusable);
  const marks = new Uint8Array(history.sizeBytes.length);
  const leaves = new Uint8Array(history.sizeBytes.length);
  let best = new Float64Array(1 << n).fill(Number.POSITIVE_INFINITY);
  best[0] = 0;
  history.runs.forEach((run, j) => {
    let fresh = 0;
    for (let d = run.firstNew; d < knownAfter(history, j); d += 1) fresh |= bit.get(d) ?? 0;
    const reached = new Float64Array(1 << n).fill(Number.POSITIVE_INFINITY);
    for (let set = 0; set < best.length; set += 1) {
      if (best[set] === Number.POSITIVE_INFINITY) continue;
      marks.set(leaves);
      for (let i = 0; i < n; i += 1) if (set & (1 << i)) marks[reusable[i]!] = datasetMarks.stored;
      let cost = best[set]!;
      let there = set | fresh;
      for (const d of toCompute(plan, marks, plan.demands[j]!)) {
        cost += history.computeSeconds[d]!;
        there |= bit.get(d) ?? 0;
      }
      if (cost < reached[there]!) reached[there] = cost;
    }
    lowerToSubsets(reached, n);
    for (const d of run.results) leaves[d] = datasetMarks.leaf;
    let useful = 0;
    reusable.forEach((d, i) => {
      if (lastNeed[i]! > j && !leaves[d]) useful |= 1 << i;
    });
    best = new Float64Array(1 << n).fill(Number.POSITIVE_INFINITY);
    for (let set = 0; set < reached.length; set += 1) {
      if ((set & ~useful) === 0 && sizes[set]! <= budgetBytes) best[set] = reached[set]!;
    }
  });
  return best.reduce((least, cost) => Math.min(least, cost));
}

/** Every set costs at most what any superset of it costs: the rest may be dropped. */
function lowerToSubsets(cost: Float64Array, n: number): void {
  for (let i = 0; i < n; i += 1) {
    for (let set = 0; set < cost.length; set += 1) {
      if ((set & (1 << i)) === 0) cost[set] = Math.min(cost[set]!, cost[set | (1 << i)]!);
    }
  }
}

function setSizes(sizes: readonly number[]): Float64Array {
  const sums = new Float64Array(1 << sizes.length);
  for (let set = 1; set < sums.length; set += 1) {
    const low = set & -set;
    sums[set] = sums[set ^ low]! + sizes[31 - Math.clz32(low)]!;
  }
  return sums;
}

/** The last run that may need each dataset, whatever is stored. */
function lastNeeds(plan: ReplayPlan, reusable: readonly number[]): Int32Array {
  const leaves = new Uint8Array(plan.history.sizeBytes.length);
  const at = new Map(reusable.map((d, i) => [d, i]));
  const last = new Int32Array(reusable.length).fill(-1);
  plan.history.runs.forEach((run, j) => {
    for (const d of toCompute(plan, leaves, plan.demands[j]!)) last[at.get(d)!] = j;
    for (const d of run.results) leaves[d] = datasetMarks.leaf;
  });
  return last;
}
