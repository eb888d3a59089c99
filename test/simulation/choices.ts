// Every choice of a simulation comes from one tape of numbers in [0, 1). A seed makes a tape as it goes; a recorded tape can be played
// again and shortened: 0 always stands for the dullest choice (no fault, the oldest first), so a tape with more zeros is a simpler story.

export class Choices {
  readonly tape: number[] = [];
  readonly #given: readonly number[] | undefined;
  #state: number;

  constructor(source: number | readonly number[]) {
    this.#given = typeof source === 'number' ? undefined : source;
    this.#state = typeof source === 'number' ? (source ^ 0x9e3779b9) >>> 0 : 0;
  }

  next(): number {
    const value = this.#given ? (this.#given[this.tape.length] ?? 0) : this.#random();
    this.tape.push(value);
    return value;
  }

  chance(probability: number): boolean {
    return this.next() > 1 - probability;
  }

  /** From 0 to `count - 1`. */
  below(count: number): number {
    return Math.floor(this.next() * count);
  }

  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)] as T;
  }

  /** One of the options by weight; the first is the dull one. */
  weighted<T>(options: readonly (readonly [weight: number, value: T])[]): T {
    const total = options.reduce((sum, [weight]) => sum + weight, 0);
    let left = this.next() * total;
    for (const [weight, value] of options) {
      left -= weight;
      if (left < 0) return value;
    }
    return (options[0] as readonly [number, T])[1];
  }

  /** A 32-bit generator by increments of the golden ratio, mixed twice. */
  #random(): number {
    this.#state = (this.#state + 0x9e3779b9) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
  }
}
