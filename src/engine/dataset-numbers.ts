// Numbers for datasets, as decision algorithms count them: dense, parents before children, one for all rows of a signature. New
// rows are taken in with their ancestors; a temporary tail can be taken back, so that the datasets of runs that are still under way
// can be decided about before their run is part of the history.
import { type DatasetTable, resized } from '../core/eviction/dataset-table.ts';
import { TextColumn, type TextColumnData } from '../core/eviction/text-column.ts';
import type { DatasetSketch } from '../core/ports/history.ts';
import type { StoreView } from '../core/ports/store.ts';
import { breathe } from './breathe.ts';

const rowsAtOnce = 2000;
const none = -1;

/** What is recorded about rows that have no number yet. */
export interface ReadDatasets {
  readonly sketches: ReadonlyMap<number, DatasetSketch>;
  readonly parents: ReadonlyMap<number, readonly number[]>;
}

/** Plain data of the numbers. */
export interface NumbersData {
  readonly canonical: Float64Array;
  readonly number: Int32Array;
  readonly rows: Float64Array;
  readonly names: TextColumnData;
}

export class DatasetNumbers {
  readonly #table: DatasetTable;
  /** By row id: the canonical row of its signature, or 0 while unknown. */
  #canonical: Float64Array = new Float64Array(1024);
  /** By canonical row id: the number. */
  #number: Int32Array = new Int32Array(1024).fill(none);
  /** By number: the canonical row. */
  #rows: Float64Array = new Float64Array(64);
  #names = new TextColumn();

  /** Numbers for a table, as they were when `data` was taken. */
  constructor(table: DatasetTable, data?: NumbersData) {
    this.#table = table;
    if (!data) return;
    this.#canonical = data.canonical;
    this.#number = data.number;
    this.#rows = data.rows;
    this.#names = new TextColumn(data.names);
  }

  /** Shows the numbers as they are now; valid until they change. */
  view(): NumbersData {
    return {
      canonical: this.#canonical,
      number: this.#number,
      rows: this.#rows.subarray(0, this.#table.count),
      names: this.#names.view(),
    };
  }

  /** The number of the dataset behind a row; undefined when it was not taken in, or never had files. */
  of(rowId: number): number | undefined {
    const number = this.#number[this.#canonical[rowId] ?? 0] ?? none;
    return number === none ? undefined : number;
  }

  /** Numbers of those rows that have one, ascending, each once. */
  all(rowIds: readonly number[]): Int32Array {
    const numbers = new Int32Array(rowIds.length);
    let count = 0;
    for (const id of rowIds) {
      const number = this.of(id);
      if (number !== undefined) numbers[count++] = number;
    }
    const sorted = numbers.subarray(0, count).sort();
    let kept = 0;
    for (let i = 0; i < count; i += 1) {
      if (i === 0 || sorted[i] !== sorted[i - 1]) sorted[kept++] = sorted[i]!;
    }
    return sorted.subarray(0, kept);
  }

  name(number: number): string {
    return this.#names.get(number) ?? '';
  }

  /** The oldest row of a dataset. */
  row(number: number): number {
    return this.#rows[number] as number;
  }

  /** Takes in rows and their ancestors. Rows that never had files are left out. */
  async take(view: StoreView, rowIds: readonly number[]): Promise<void> {
    this.add(rowIds, await this.read(view, rowIds));
  }

  /** Reads what `add` needs for these rows and their ancestors. */
  async read(view: StoreView, rowIds: readonly number[]): Promise<ReadDatasets> {
    const sketches = new Map<number, DatasetSketch>();
    const parents = new Map<number, number[]>();
    for (let layer = rowIds; layer.length > 0; ) {
      const fresh = [...new Set(layer)].filter((id) => this.of(id) === undefined && !sketches.has(id));
      const added: number[] = [];
      for (let start = 0; start < fresh.length; start += rowsAtOnce) {
        await breathe();
        for (const sketch of await view.datasetSketches(fresh.slice(start, start + rowsAtOnce))) {
          this.#remember(sketch);
          sketches.set(sketch.id, sketch);
          if (sketch.sizeBytes !== null && this.of(sketch.id) === undefined) added.push(sketch.id);
        }
      }
      const above: number[] = [];
      for (let start = 0; start < added.length; start += rowsAtOnce) {
        await breathe();
        const links = await view.parentLinks(added.slice(start, start + rowsAtOnce));
        for (let i = 0; i < links.length; i += 2) {
          const [datasetId, parentId] = [links[i]!, links[i + 1]!];
          const known = parents.get(datasetId);
          if (known) known.push(parentId);
          else parents.set(datasetId, [parentId]);
          if (this.of(parentId) === undefined) above.push(parentId);
        }
      }
      layer = above;
    }
    return { sketches, parents };
  }

  /** Gives numbers to rows and their ancestors that have none, parents first. */
  add(rowIds: readonly number[], { sketches, parents }: ReadDatasets): void {
    for (const id of rowIds.toSorted((a, b) => a - b)) this.#add(id, sketches, parents);
  }

  /** Puts new measurements in the place of old ones. */
  measure(rowId: number, sizeBytes: number, computeMs: number): void {
    const number = this.of(rowId);
    if (number !== undefined) this.#table.measure(number, sizeBytes, computeMs / 1000);
  }

  /** Takes back every dataset from this number on. */
  rewind(count: number): void {
    const table = this.#table;
    for (let d = count; d < table.count; d += 1) {
      // What admission lets an algorithm imagine has no row.
      if (this.#rows[d]) this.#number[this.#rows[d]!] = none;
    }
    this.#rows.fill(0, count);
    this.#names.cut(count);
    for (const column of [table.marks, table.uses, table.lastAccessAt]) column.fill(0, count, table.count);
    table.count = count;
  }

  #remember({ id, canonical }: DatasetSketch): void {
    if (id >= this.#canonical.length) {
      const grown = new Float64Array(Math.max(id + 1, this.#canonical.length * 2));
      grown.set(this.#canonical);
      this.#canonical = grown;
      const numbers = new Int32Array(grown.length).fill(none);
      numbers.set(this.#number);
      this.#number = numbers;
    }
    this.#canonical[id] = canonical;
  }

  /** Depth first without recursion: a chain may be as long as it likes. */
  #add(
    rowId: number,
    sketches: ReadonlyMap<number, DatasetSketch>,
    parents: ReadonlyMap<number, readonly number[]>,
  ): void {
    const stack = [rowId];
    const open = new Set<number>();
    while (stack.length > 0) {
      const id = stack.at(-1) as number;
      const sketch = sketches.get(id);
      if (!sketch || sketch.sizeBytes === null || this.of(id) !== undefined) {
        stack.pop();
        continue;
      }
      const own = parents.get(id) ?? [];
      // A row that is open already is its own ancestor; such a link is left out rather than followed for ever.
      const missing = own.filter((parent) => this.of(parent) === undefined && !open.has(parent));
      open.add(id);
      const ready = missing.every((parent) => (sketches.get(parent)?.sizeBytes ?? null) === null);
      if (!ready) {
        stack.push(...missing);
        continue;
      }
      stack.pop();
      const number = this.#table.add({
        identity: Number.parseInt(sketch.signature.slice(0, 8), 16),
        sizeBytes: sketch.sizeBytes,
        computeSeconds: (sketch.computeMs ?? 0) / 1000,
        parents: this.all(own),
      });
      this.#number[sketch.canonical] = number;
      if (number >= this.#rows.length) this.#rows = resized(this.#rows, Math.max(64, number * 2));
      this.#rows[number] = sketch.canonical;
      this.#names.push(sketch.name);
    }
  }
}
