// For each dataset the run that last touched it, and for each run the datasets that it touched last, as linked lists in
// typed arrays: moving a dataset to the newest run and visiting all of one run cost nothing but the members.
import { resized } from '../core/eviction/dataset-table.ts';

export interface RunBuckets {
  /** Run that touched the dataset last. */
  last: Int32Array;
  /** First dataset of a run's list, or -1. */
  head: Int32Array;
  next: Int32Array;
  previous: Int32Array;
}

export function emptyBuckets(): RunBuckets {
  return {
    last: new Int32Array(64),
    head: new Int32Array(64).fill(-1),
    next: new Int32Array(64),
    previous: new Int32Array(64),
  };
}

/** Makes room for datasets and runs below the given numbers. */
export function growBuckets(buckets: RunBuckets, datasets: number, runs: number): void {
  if (buckets.last.length < datasets) {
    buckets.last = resized(buckets.last, datasets * 2);
    buckets.next = resized(buckets.next, datasets * 2);
    buckets.previous = resized(buckets.previous, datasets * 2);
  }
  if (buckets.head.length < runs) {
    const before = buckets.head.length;
    buckets.head = resized(buckets.head, runs * 2).fill(-1, before);
  }
}

/** Puts a dataset that is in no list into the list of `run`. */
export function enterBucket(buckets: RunBuckets, d: number, run: number): void {
  const { head, next, previous } = buckets;
  const first = head[run]!;
  next[d] = first;
  previous[d] = -1;
  if (first >= 0) previous[first] = d;
  head[run] = d;
  buckets.last[d] = run;
}

/** Moves a dataset from the list of its last run to that of `run`. */
export function moveBucket(buckets: RunBuckets, d: number, run: number): void {
  const { head, next, previous, last } = buckets;
  if (last[d] === run) return;
  const before = previous[d]!;
  const after = next[d]!;
  if (before >= 0) next[before] = after;
  else head[last[d]!] = after;
  if (after >= 0) previous[after] = before;
  enterBucket(buckets, d, run);
}
