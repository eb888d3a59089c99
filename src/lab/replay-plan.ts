// What every replay of a history has in common, whatever is deleted: which datasets each run demands, when a dataset
// becomes a result for good, what an unlimited store would hold.
import { demandOf } from '../core/eviction/run-demand.ts';
import type { KnownDatasets } from '../core/ports/decision-algorithm.ts';
import { datasetCount, type History } from './history.ts';

export interface ReplayPlan {
  readonly history: History;
  /** Per run: earlier datasets that an unlimited store would read, ascending. */
  readonly demands: readonly Int32Array[];
  /** Run after which a dataset is a result and never given up; the number of runs if that never happens. */
  readonly leafAfter: Int32Array;
  /** Seconds of computing every dataset once: no algorithm does with less. */
  readonly unlimitedSeconds: number;
  /** The most bytes that an unlimited store would hold outside results. */
  readonly footprintBytes: number;
}

export function planReplay(history: History): ReplayPlan {
  const count = datasetCount(history);
  const graph = { ...history, count } as unknown as KnownDatasets;
  const demands = history.runs.map((run) => demandOf(graph, run, run.firstNew));
  const leafAfter = new Int32Array(count).fill(history.runs.length);
  let held = 0;
  let footprintBytes = 0;
  history.runs.forEach((run, j) => {
    const end = history.runs[j + 1]?.firstNew ?? count;
    for (let d = run.firstNew; d < end; d += 1) held += history.sizeBytes[d]!;
    for (const d of run.results) {
      if (leafAfter[d]! < history.runs.length) continue;
      leafAfter[d] = j;
      held -= history.sizeBytes[d]!;
    }
    footprintBytes = Math.max(footprintBytes, held);
  });
  const unlimitedSeconds = history.computeSeconds.reduce((sum, seconds) => sum + seconds, 0);
  return { history, demands, leafAfter, unlimitedSeconds, footprintBytes };
}

/** The first dataset that is not known after run `j`. */
export function knownAfter(history: History, j: number): number {
  return history.runs[j + 1]?.firstNew ?? datasetCount(history);
}
