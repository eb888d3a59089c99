// A binary heap of datasets by key in typed arrays: the smallest key first, ties by identity, then by number.

export class RankHeap {
  readonly #identity: Uint32Array;
  readonly #keys: Float64Array;
  readonly #datasets: Int32Array;
  #size = 0;

  constructor(capacity: number, identity: Uint32Array) {
    this.#identity = identity;
    this.#keys = new Float64Array(capacity);
    this.#datasets = new Int32Array(capacity);
  }

  get size(): number {
    return this.#size;
  }

  /** The smallest key; infinity when the heap is empty. */
  get smallest(): number {
    return this.#size > 0 ? this.#keys[0]! : Number.POSITIVE_INFINITY;
  }

  push(key: number, dataset: number): void {
    const keys = this.#keys;
    const datasets = this.#datasets;
    let at = this.#size++;
    while (at > 0) {
      const above = (at - 1) >> 1;
      if (!this.#before(key, dataset, keys[above]!, datasets[above]!)) break;
      keys[at] = keys[above]!;
      datasets[at] = datasets[above]!;
      at = above;
    }
    keys[at] = key;
    datasets[at] = dataset;
  }

  /** Removes and returns the dataset with the smallest key; the heap must not be empty. */
  pop(): number {
    const keys = this.#keys;
    const datasets = this.#datasets;
    const first = datasets[0]!;
    const size = --this.#size;
    const key = keys[size]!;
    const dataset = datasets[size]!;
    let at = 0;
    for (;;) {
      let below = 2 * at + 1;
      if (below >= size) break;
      const other = below + 1;
      if (other < size && this.#before(keys[other]!, datasets[other]!, keys[below]!, datasets[below]!)) {
        below = other;
      }
      if (!this.#before(keys[below]!, datasets[below]!, key, dataset)) break;
      keys[at] = keys[below]!;
      datasets[at] = datasets[below]!;
      at = below;
    }
    keys[at] = key;
    datasets[at] = dataset;
    return first;
  }

  #before(key: number, dataset: number, otherKey: number, other: number): boolean {
    if (key !== otherKey) return key < otherKey;
    const a = this.#identity[dataset]!;
    const b = this.#identity[other]!;
    return a !== b ? a < b : dataset < other;
  }
}
