// A history: every dataset that was ever wanted and the runs that wanted them, in order. Datasets are numbered by first
// appearance, parents before children, so that the datasets known before run j are exactly those below `runs[j].firstNew`.
import type { JsonObject } from '../core/json.ts';

export interface HistoryRun {
  /** Submission time in milliseconds. */
  readonly at: number;
  /** The run's results: the sinks of its workflow, and inner datasets that were asked for. */
  readonly results: Int32Array;
  /** The results and all their ancestors, ascending. */
  readonly members: Int32Array;
  /** Members from this number on were never seen before. */
  readonly firstNew: number;
  readonly workflow?: string;
  readonly user?: string;
}

export interface HistoryOrigin {
  /** Where it comes from: a family of generators, `wfformat` or `site`. */
  readonly family: string;
  readonly seed?: number;
  readonly parameters?: JsonObject;
}

export interface History {
  readonly origin: HistoryOrigin;
  readonly labels: readonly string[];
  readonly identity: Uint32Array;
  readonly sizeBytes: Float64Array;
  readonly computeSeconds: Float64Array;
  readonly parentStart: Uint32Array;
  readonly parents: Int32Array;
  readonly runs: readonly HistoryRun[];
}

/** Number of datasets. */
export function datasetCount(history: History): number {
  return history.sizeBytes.length;
}

export function parentsOf(history: History, d: number): Int32Array {
  return history.parents.subarray(history.parentStart[d]!, history.parentStart[d + 1]!);
}
