// Walks through what is not there: upwards to the ancestors that would have to be computed with a dataset, downwards to the
// datasets whose demand would fall on it. Both stop at anything available, and give up past a limit.
import type { KnownDatasets } from '../ports/decision-algorithm.ts';
import { isAvailable, resized } from './dataset-table.ts';

export interface ChildColumns {
  /** Children of `d` are `children[childStart[d]] … children[childStart[d + 1] - 1]`. */
  readonly childStart: Uint32Array;
  readonly children: Int32Array;
}

/** The children of every known dataset, ascending. */
export function childrenOf(known: KnownDatasets): ChildColumns {
  const { count, parentStart, parents } = known;
  const edges = parentStart[count]!;
  const childStart = new Uint32Array(count + 1);
  for (let i = 0; i < edges; i += 1) childStart[parents[i]! + 1]! += 1;
  for (let d = 0; d < count; d += 1) childStart[d + 1]! += childStart[d]!;
  const children = new Int32Array(edges);
  const next = childStart.slice(0, count);
  for (let d = 0; d < count; d += 1) {
    for (let i = parentStart[d]!; i < parentStart[d + 1]!; i += 1) children[next[parents[i]!]!++] = d;
  }
  return { childStart, children };
}

export class LineageWalk {
  /** Datasets found by the last `up` or `down`, the start first. */
  readonly up: Int32Array;
  readonly down: Int32Array;
  /** Available parents of the last `up`; one that is reached in several ways is there several times. */
  edges = new Int32Array(64);
  upCount = 0;
  edgeCount = 0;
  downCount = 0;
  readonly #known: KnownDatasets;
  readonly #marks: Uint8Array;
  readonly #graph: ChildColumns;
  readonly #limit: number;
  readonly #visited: Uint32Array;
  /** Which of the last `down` reach a dataset without passing the start, one bit each. */
  readonly #reachedBy: Int32Array;
  readonly #side: Int32Array;
  #stamp = 0;

  /** `marks` is the walker's view of what is there; the caller changes it as it goes. `limit` is at most 31. */
  constructor(known: KnownDatasets, marks: Uint8Array, limit: number) {
    this.#known = known;
    this.#marks = marks;
    this.#graph = childrenOf(known);
    this.#limit = limit;
    this.#visited = new Uint32Array(known.count);
    this.#reachedBy = new Int32Array(known.count);
    this.up = new Int32Array(limit);
    this.down = new Int32Array(limit);
    this.#side = new Int32Array(limit * 8);
  }

  /**
   * Finds the dataset and its missing ancestors, nearest first, and in `edges` what is available where the walk stops; returns false as
   * soon as there are more than the limit.
   */
  walkUp(d: number): boolean {
    const { parentStart, parents } = this.#known;
    const marks = this.#marks;
    const visited = this.#visited;
    const up = this.up;
    const limit = this.#limit;
    const stamp = ++this.#stamp;
    let count = 1;
    let edges = 0;
    up[0] = d;
    visited[d] = stamp;
    for (let next = 0; next < count; next += 1) {
      const e = up[next]!;
      const end = parentStart[e + 1]!;
      if (edges + end - parentStart[e]! > this.edges.length)
        this.edges = resized(this.edges, 2 * (edges + end - parentStart[e]!));
      for (let i = parentStart[e]!; i < end; i += 1) {
        const parent = parents[i]!;
        // What is there is not marked as visited: that would be a look at memory far away, for every price.
        if (isAvailable(marks[parent]!)) this.edges[edges++] = parent;
        else if (visited[parent] !== stamp) {
          if (count === limit) {
            this.upCount = count;
            this.edgeCount = edges;
            return false;
          }
          visited[parent] = stamp;
          up[count++] = parent;
        }
      }
    }
    this.upCount = count;
    this.edgeCount = edges;
    return true;
  }

  /** Finds the dataset and its missing descendants; returns false as soon as there are more than the limit. */
  walkDown(d: number): boolean {
    const { childStart, children } = this.#graph;
    const marks = this.#marks;
    const visited = this.#visited;
    const stamp = ++this.#stamp;
    let count = 1;
    this.down[0] = d;
    visited[d] = stamp;
    for (let next = 0; next < count; next += 1) {
      const e = this.down[next]!;
      for (let i = childStart[e]!; i < childStart[e + 1]!; i += 1) {
        const child = children[i]!;
        if (isAvailable(marks[child]!) || visited[child] === stamp) continue;
        if (count === this.#limit) return false;
        visited[child] = stamp;
        this.down[count++] = child;
      }
    }
    this.downCount = count;
    return true;
  }

  /**
   * After `walkUp(d)` and `walkDown(d)`: seconds, weighted by the demand of each descendant, of those ancestors of `d` that
   * the descendant reaches without passing `d`. They would be computed whether `d` is there or not. Undefined if the ways
   * around `d` are too many to follow.
   */
  overlap(d: number, rate: Float64Array): number | undefined {
    if (this.upCount === 1 || this.downCount === 1) return 0;
    const { parentStart, parents, computeSeconds } = this.#known;
    const visited = this.#visited;
    const reachedBy = this.#reachedBy;
    const side = this.#side;
    const stamp = ++this.#stamp;
    let lowest = d;
    for (let i = 1; i < this.upCount; i += 1) lowest = Math.min(lowest, this.up[i]!);
    let count = 0;
    for (let k = 1; k < this.downCount; k += 1) {
      const x = this.down[k]!;
      visited[x] = stamp;
      reachedBy[x] = 1 << k;
      side[count++] = x;
    }
    for (let next = 0; next < count; next += 1) {
      const e = side[next]!;
      for (let i = parentStart[e]!; i < parentStart[e + 1]!; i += 1) {
        const parent = parents[i]!;
        // Parents have smaller numbers: below the lowest ancestor of `d` no way leads to one.
        if (parent < lowest || parent === d || visited[parent] === stamp) continue;
        if (isAvailable(this.#marks[parent]!)) continue;
        if (count === side.length) return undefined;
        visited[parent] = stamp;
        reachedBy[parent] = 0;
        side[count++] = parent;
      }
    }
    if (count === this.downCount - 1 && !this.#meets(stamp)) return 0;
    // Children before parents, so that every way up is followed once.
    const order = side.subarray(0, count).sort();
    for (let next = count - 1; next >= 0; next -= 1) {
      const e = order[next]!;
      for (let i = parentStart[e]!; i < parentStart[e + 1]!; i += 1) {
        const parent = parents[i]!;
        if (visited[parent] === stamp) reachedBy[parent] = reachedBy[parent]! | reachedBy[e]!;
      }
    }
    let sum = 0;
    for (let i = 1; i < this.upCount; i += 1) {
      const ancestor = this.up[i]!;
      if (visited[ancestor] !== stamp) continue;
      let demand = 0;
      for (let bits = reachedBy[ancestor]!; bits !== 0; bits &= bits - 1) {
        demand += rate[this.down[31 - Math.clz32(bits & -bits)]!]!;
      }
      sum += demand * computeSeconds[ancestor]!;
    }
    return sum;
  }

  #meets(stamp: number): boolean {
    for (let i = 1; i < this.upCount; i += 1) if (this.#visited[this.up[i]!] === stamp) return true;
    return false;
  }
}
