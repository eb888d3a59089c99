// Walks through what is not there: upwards to the ancestors that would have to be computed with a dataset, downwards to the
// datasets whose demand would fall on it. Both stop at anything available, and give up past a limit.
import type { KnownDatasets } from '../ports/decision-algorithm.ts';
import { isAvailable } from './dataset-table.ts';

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
  upCount = 0;
  downCount = 0;
  readonly #known: KnownDatasets;
  readonly #marks: Uint8Array;
  readonly #graph: ChildColumns;
  readonly #limit: number;
  readonly #visited: Uint32Array;
  readonly #inCone: Uint32Array;
  readonly #side: Int32Array;
  #stamp = 0;

  /** `marks` is the walker's view of what is there; the caller changes it as it goes. */
  constructor(known: KnownDatasets, marks: Uint8Array, limit: number) {
    this.#known = known;
    this.#marks = marks;
    this.#graph = childrenOf(known);
    this.#limit = limit;
    this.#visited = new Uint32Array(known.count);
    this.#inCone = new Uint32Array(known.count);
    this.up = new Int32Array(limit);
    this.down = new Int32Array(limit);
    this.#side = new Int32Array(limit * 4);
  }

  /**
   * Finds the dataset and its missing ancestors, nearest first; returns false if there are more than the limit. Calls
   * `onEdge` for each available dataset at which the walk stops.
   */
  walkUp(d: number, onEdge?: (available: number) => void): boolean {
    const { parentStart, parents } = this.#known;
    const visited = this.#visited;
    const stamp = ++this.#stamp;
    let whole = true;
    let count = 1;
    this.up[0] = d;
    visited[d] = stamp;
    for (let next = 0; next < count; next += 1) {
      const e = this.up[next]!;
      for (let i = parentStart[e]!; i < parentStart[e + 1]!; i += 1) {
        const parent = parents[i]!;
        if (visited[parent] === stamp) continue;
        if (isAvailable(this.#marks[parent]!)) {
          visited[parent] = stamp;
          onEdge?.(parent);
        } else if (count < this.#limit) {
          visited[parent] = stamp;
          this.up[count++] = parent;
        } else whole = false;
      }
    }
    this.upCount = count;
    return whole;
  }

  /** Finds the dataset and its missing descendants; returns false as soon as there are more than the limit. */
  walkDown(d: number): boolean {
    const { childStart, children } = this.#graph;
    const visited = this.#visited;
    const stamp = ++this.#stamp;
    let count = 1;
    this.down[0] = d;
    visited[d] = stamp;
    for (let next = 0; next < count; next += 1) {
      const e = this.down[next]!;
      for (let i = childStart[e]!; i < childStart[e + 1]!; i += 1) {
        const child = children[i]!;
        if (visited[child] === stamp || isAvailable(this.#marks[child]!)) continue;
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
   * the descendant reaches without passing `d`. They would be computed whether `d` is there or not.
   */
  overlap(d: number, rate: Float64Array): number {
    if (this.upCount === 1 || this.downCount === 1) return 0;
    const { parentStart, parents, computeSeconds } = this.#known;
    const visited = this.#visited;
    const side = this.#side;
    const cone = ++this.#stamp;
    for (let i = 1; i < this.upCount; i += 1) this.#inCone[this.up[i]!] = cone;
    let sum = 0;
    for (let k = 1; k < this.downCount; k += 1) {
      const x = this.down[k]!;
      const stamp = ++this.#stamp;
      visited[d] = stamp;
      visited[x] = stamp;
      side[0] = x;
      let count = 1;
      let seconds = 0;
      for (let next = 0; next < count; next += 1) {
        const e = side[next]!;
        if (this.#inCone[e] === cone) seconds += computeSeconds[e]!;
        for (let i = parentStart[e]!; i < parentStart[e + 1]! && count < side.length; i += 1) {
          const parent = parents[i]!;
          if (visited[parent] === stamp || isAvailable(this.#marks[parent]!)) continue;
          visited[parent] = stamp;
          side[count++] = parent;
        }
      }
      sum += seconds * rate[x]!;
    }
    return sum;
  }
}
