// The ideal execution time of a history under a budget, honestly: the time of an unlimited store, a bracket around the
// optimum, and the optimum itself where the history is small enough.
import { datasetMarks } from '../../core/ports/decision-algorithm.ts';
import { replay, toCompute } from '../replay.ts';
import type { ReplayPlan } from '../replay-plan.ts';
import { clairvoyant } from './clairvoyant.ts';
import { exactLimit, exactOptimum } from './exact-optimum.ts';
import { KeepNetworks } from './keep-networks.ts';
import { lowerBound } from './lower-bound.ts';

export interface HistoryBounds {
  readonly budgetBytes: number;
  /** Seconds with an unlimited store. */
  readonly unlimitedSeconds: number;
  /** Seconds when nothing but results is ever kept. */
  readonly bareSeconds: number;
  /** No policy that only deletes is faster. */
  readonly lowerSeconds: number;
  /** Some schedule within the budget is this fast. */
  readonly upperSeconds: number;
  /** The optimum, where the history is small enough. */
  readonly optimalSeconds: number | undefined;
}

export interface BoundOptions {
  readonly budgetBytes: number;
  /** Total seconds of policies that were replayed: each is an upper bound too. */
  readonly achievedSeconds?: readonly number[] | undefined;
  readonly steps?: number | undefined;
  /** Reused between budgets of one history. */
  readonly networks?: KeepNetworks | undefined;
}

export function boundHistory(plan: ReplayPlan, options: BoundOptions): HistoryBounds {
  const { budgetBytes } = options;
  const { unlimitedSeconds } = plan;
  const networks = options.networks ?? new KeepNetworks(plan);
  const run = (schedule?: Parameters<typeof clairvoyant>[1]) =>
    replay(plan, clairvoyant(plan, schedule), { budgetBytes }).totalSeconds;
  let upperSeconds = Math.min(run(), ...(options.achievedSeconds ?? []));
  const lower = lowerBound(plan, networks, budgetBytes, {
    steps: options.steps,
    achieved: upperSeconds - unlimitedSeconds,
  });
  for (const schedule of lower.schedules) upperSeconds = Math.min(upperSeconds, run(schedule));
  const reusable = networks.reusable();
  return {
    budgetBytes,
    unlimitedSeconds,
    bareSeconds: unlimitedSeconds + bareRecompute(plan),
    lowerSeconds: unlimitedSeconds + Math.min(lower.recomputeSeconds, upperSeconds - unlimitedSeconds),
    upperSeconds,
    optimalSeconds:
      reusable.length <= exactLimit
        ? unlimitedSeconds + exactOptimum(plan, reusable, budgetBytes)
        : undefined,
  };
}

/** Seconds of recomputation when nothing but results is kept. */
export function bareRecompute(plan: ReplayPlan): number {
  const marks = new Uint8Array(plan.history.sizeBytes.length);
  let seconds = 0;
  plan.history.runs.forEach((run, j) => {
    for (const d of toCompute(plan, marks, plan.demands[j]!)) seconds += plan.history.computeSeconds[d]!;
    for (const d of run.results) marks[d] = datasetMarks.leaf;
  });
  return seconds;
}
