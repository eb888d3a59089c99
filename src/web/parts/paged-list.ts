// A list that is read page by page as it is scrolled, and whose head can be read again when something has changed.
import { type Signal, signal } from '@preact/signals';

export interface Page<T> {
  readonly items: readonly T[];
  readonly next: string | null;
}

export class PagedList<T> {
  readonly items: Signal<readonly T[]> = signal<readonly T[]>([]);
  readonly complete = signal(false);
  readonly loading = signal(true);
  readonly problem = signal<unknown>(undefined);
  readonly #load: (cursor: string | undefined) => Promise<Page<T>>;
  readonly #key: (item: T) => string | number;
  #next: string | null | undefined;
  #busy: Promise<void> | undefined;
  #soon: ReturnType<typeof setTimeout> | undefined;

  constructor(load: (cursor: string | undefined) => Promise<Page<T>>, key: (item: T) => string | number) {
    this.#load = load;
    this.#key = key;
  }

  /** Reads the next page, unless there is none or it is on its way. */
  more(): Promise<void> {
    if (this.#next === null) return Promise.resolve();
    this.#busy ??= this.#read(this.#next ?? undefined).finally(() => {
      this.#busy = undefined;
    });
    return this.#busy;
  }

  async #read(cursor: string | undefined): Promise<void> {
    this.loading.value = true;
    try {
      let { items, next } = await this.#load(cursor);
      // A search answers after a bounded number of rows, whether it found something or not.
      while (items.length === 0 && next !== null) ({ items, next } = await this.#load(next));
      const known = new Set(this.items.peek().map(this.#key));
      this.items.value = [...this.items.peek(), ...items.filter((item) => !known.has(this.#key(item)))];
      this.#next = next;
      this.complete.value = next === null;
      this.problem.value = undefined;
    } catch (error) {
      this.problem.value = error;
    } finally {
      this.loading.value = false;
    }
  }

  /** Reads the first page again and puts what is new or changed into the list. */
  async refreshHead(): Promise<void> {
    await this.#busy;
    try {
      const { items, next } = await this.#load(undefined);
      const fresh = new Set(items.map(this.#key));
      const rest =
        this.#next === undefined ? [] : this.items.peek().filter((item) => !fresh.has(this.#key(item)));
      if (this.#next === undefined || next === null) this.#next = next;
      this.complete.value = this.#next === null;
      this.items.value = next === null ? items : [...items, ...rest];
      this.problem.value = undefined;
    } catch (error) {
      this.problem.value = error;
    }
    this.loading.value = false;
  }

  soon(ms = 150): void {
    this.#soon ??= setTimeout(() => {
      this.#soon = undefined;
      void this.refreshHead();
    }, ms);
  }

  /** Changes an element that is shown; says whether there was one. */
  patch(key: string | number, change: (item: T) => T): boolean {
    let found = false;
    const items = this.items.peek().map((item) => {
      if (this.#key(item) !== key) return item;
      found = true;
      return change(item);
    });
    if (found) this.items.value = items;
    return found;
  }
}
