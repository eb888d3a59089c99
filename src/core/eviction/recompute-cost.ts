// What it costs to make a dataset again now: its own time and that of every ancestor that would have to be computed first.
import type { KnownDatasets } from '../ports/decision-algorithm.ts';
import { isAvailable } from './dataset-table.ts';

/** Walks ancestors with arrays that are reused from call to call. */
export class RecomputeCost {
  readonly #known: KnownDatasets;
  readonly #marks: Uint8Array;
  readonly #visited: Uint32Array;
  #stack = new Int32Array(256);
  #stamp = 0;

  /** `marks` defaults to those of the facts; an algorithm passes its own copy to ask "what if". */
  constructor(known: KnownDatasets, marks: Uint8Array = known.marks) {
    this.#known = known;
    this.#marks = marks;
    this.#visited = new Uint32Array(known.count);
  }

  /**
   * Seconds to make `d` again if it were not there. Looks at no more than `limit` datasets, nearest first as parents are
   * listed; what lies beyond is left out.
   */
  seconds(d: number, limit: number = Number.POSITIVE_INFINITY): number {
    const { parentStart, parents, computeSeconds } = this.#known;
    const marks = this.#marks;
    const visited = this.#visited;
    const stamp = ++this.#stamp;
    let queue = this.#stack;
    queue[0] = d;
    visited[d] = stamp;
    let end = 1;
    let sum = 0;
    for (let next = 0; next < end; next += 1) {
      const e = queue[next]!;
      sum += computeSeconds[e]!;
      for (let i = parentStart[e]!; i < parentStart[e + 1]!; i += 1) {
        const parent = parents[i]!;
        if (visited[parent] === stamp || isAvailable(marks[parent]!)) continue;
        if (end >= limit) break;
        visited[parent] = stamp;
        if (end === queue.length) {
          const grown = new Int32Array(end * 2);
          grown.set(queue);
          this.#stack = queue = grown;
        }
        queue[end++] = parent;
      }
    }
    return sum;
  }
}
