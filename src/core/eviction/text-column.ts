// A column of texts of which many are equal: each is kept once, and a number per row says which.
import { resized } from './dataset-table.ts';

/** Plain data of a column of texts. */
export interface TextColumnData {
  readonly texts: readonly string[];
  readonly which: Uint32Array;
}

export class TextColumn {
  readonly #texts: string[];
  readonly #numbers: Map<string, number>;
  #which: Uint32Array;
  #count: number;

  constructor(data: TextColumnData = { texts: [], which: new Uint32Array(0) }) {
    this.#texts = [...data.texts];
    this.#numbers = new Map(this.#texts.map((text, i) => [text, i]));
    this.#which = data.which;
    this.#count = data.which.length;
  }

  get(row: number): string | undefined {
    return row >= 0 && row < this.#count ? this.#texts[this.#which[row]!] : undefined;
  }

  push(text: string): void {
    let number = this.#numbers.get(text);
    if (number === undefined) {
      number = this.#texts.push(text) - 1;
      this.#numbers.set(text, number);
    }
    if (this.#count === this.#which.length) this.#which = resized(this.#which, Math.max(64, this.#count * 2));
    this.#which[this.#count++] = number;
  }

  /** Forgets every row from this one on. */
  cut(count: number): void {
    this.#count = Math.min(this.#count, count);
  }

  /** Shows the column as it is now; valid until it changes. */
  view(): TextColumnData {
    return { texts: this.#texts, which: this.#which.subarray(0, this.#count) };
  }
}
