// Seeded random numbers: equal seeds give equal histories on every machine. The generator is xoshiro128++ seeded through
// a multiplicative mix of the seed words; streams with different names are independent.

export class Random {
  readonly #s: Uint32Array;

  constructor(seed: number | string, stream = '') {
    this.#s = new Uint32Array(4);
    let h = 0x9e3779b9;
    for (const character of `${seed}\u0000${stream}`) h = mix(h ^ character.codePointAt(0)!);
    for (let i = 0; i < 4; i += 1) this.#s[i] = h = mix(h + 0x9e3779b9);
    if (this.#s.every((word) => word === 0)) this.#s[0] = 1;
  }

  /** A 32-bit unsigned number. */
  bits(): number {
    const s = this.#s;
    const sum = (s[0]! + s[3]!) | 0;
    const result = (rotate(sum, 7) + s[0]!) >>> 0;
    const shifted = s[1]! << 9;
    s[2]! ^= s[0]!;
    s[3]! ^= s[1]!;
    s[1]! ^= s[2]!;
    s[0]! ^= s[3]!;
    s[2]! ^= shifted;
    s[3] = rotate(s[3]!, 11);
    return result;
  }

  /** Uniform in [0, 1). */
  uniform(): number {
    return (this.bits() * 2 ** 21 + (this.bits() >>> 11)) / 2 ** 53;
  }

  /** Uniform in 0 … n - 1. */
  below(n: number): number {
    return Math.floor(this.uniform() * n);
  }

  chance(probability: number): boolean {
    return this.uniform() < probability;
  }

  normal(mean: number, deviation: number): number {
    const radius = Math.sqrt(-2 * Math.log(1 - this.uniform()));
    return mean + deviation * radius * Math.cos(2 * Math.PI * this.uniform());
  }

  /** Log-normal with the given median; `spread` is the deviation of the logarithm. */
  logNormal(median: number, spread: number): number {
    return median * Math.exp(this.normal(0, spread));
  }

  /** Pareto with minimum 1: smaller shape, heavier tail. */
  pareto(shape: number): number {
    return (1 - this.uniform()) ** (-1 / shape);
  }

  /** An index with probability proportional to its weight. */
  weighted(weights: ArrayLike<number>): number {
    let total = 0;
    for (let i = 0; i < weights.length; i += 1) total += weights[i]!;
    let left = this.uniform() * total;
    for (let i = 0; i < weights.length; i += 1) {
      left -= weights[i]!;
      if (left < 0) return i;
    }
    return weights.length - 1;
  }

  /** The list in random order, as a new list. */
  shuffled<T>(list: readonly T[]): T[] {
    const result = [...list];
    for (let i = result.length - 1; i > 0; i -= 1) {
      const j = this.below(i + 1);
      [result[i], result[j]] = [result[j]!, result[i]!];
    }
    return result;
  }
}

function mix(word: number): number {
  let h = word | 0;
  h = Math.imul(h ^ (h >>> 16), 0x7feb352d);
  h = Math.imul(h ^ (h >>> 15), 0x846ca68b);
  return (h ^ (h >>> 16)) >>> 0;
}

function rotate(word: number, by: number): number {
  return ((word << by) | (word >>> (32 - by))) >>> 0;
}
