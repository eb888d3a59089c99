// What it costs to make a dataset again: its own time and that of every ancestor that would have to be computed first.
import type { KnownDatasets } from '../ports/decision-algorithm.ts';
import { isAvailable } from './dataset-table.ts';

// Scratch space of the walk. It carries nothing from one call to the next: a visit counts only under its own stamp.
let visited = new Uint32Array(1024);
let queue = new Int32Array(1024);
let stamp = 0;
let cut = false;

export interface RecomputePrice {
  readonly seconds: number;
  /** False when ancestors beyond the limit were left out: it costs at least so much. */
  readonly complete: boolean;
}

/** As `recomputeSeconds`, and says whether the limit left anything out. */
export function recomputePrice(
  known: KnownDatasets,
  marks: Uint8Array,
  d: number,
  limit: number,
): RecomputePrice {
  const seconds = recomputeSeconds(known, marks, d, limit);
  return { seconds, complete: !cut };
}

/**
 * Seconds to make `d` again if it were not there, with other datasets there or not as `marks` say. Looks at no more than
 * `limit` datasets, nearest first and in the order in which parents are listed; what lies beyond is left out.
 */
export function recomputeSeconds(
  known: KnownDatasets,
  marks: Uint8Array,
  d: number,
  limit: number = Number.POSITIVE_INFINITY,
): number {
  const { parentStart, parents, computeSeconds } = known;
  prepare(known.count);
  queue[0] = d;
  visited[d] = stamp;
  let end = 1;
  let sum = 0;
  cut = false;
  for (let next = 0; next < end; next += 1) {
    const e = queue[next]!;
    sum += computeSeconds[e]!;
    for (let i = parentStart[e]!; i < parentStart[e + 1]! && !cut; i += 1) {
      const parent = parents[i]!;
      if (visited[parent] === stamp || isAvailable(marks[parent]!)) continue;
      cut = end >= limit;
      if (cut) break;
      visited[parent] = stamp;
      queue[end++] = parent;
    }
  }
  return sum;
}

function prepare(count: number): void {
  if (visited.length < count || stamp === 0xffffffff) {
    visited = new Uint32Array(Math.max(count, visited.length) * 2);
    queue = new Int32Array(visited.length);
    stamp = 0;
  }
  stamp += 1;
}
