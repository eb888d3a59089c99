// The columns of every known dataset, growing as history is read. One class serves production, the simulator and worker
// threads: it is rebuilt from plain columns without copying them again.
import { datasetMarks, type KnownDatasets } from '../ports/decision-algorithm.ts';

export interface NewDataset {
  readonly identity: number;
  readonly sizeBytes: number;
  readonly computeSeconds: number;
  /** Numbers of datasets that were added before. */
  readonly parents: ArrayLike<number>;
}

/** Plain data of a table: survives structured cloning. */
export type DatasetColumns = { -readonly [K in keyof KnownDatasets]: KnownDatasets[K] };

export class DatasetTable implements KnownDatasets {
  count = 0;
  identity = new Uint32Array(64);
  sizeBytes = new Float64Array(64);
  computeSeconds = new Float64Array(64);
  marks = new Uint8Array(64);
  parentStart = new Uint32Array(65);
  parents = new Int32Array(128);
  uses = new Uint32Array(64);
  firstRun = new Int32Array(64);
  lastDemandRun = new Int32Array(64);
  lastAccessAt = new Float64Array(64);

  /** A table that takes over the columns; they must not be used elsewhere afterwards. */
  static from(columns: DatasetColumns): DatasetTable {
    return Object.assign(new DatasetTable(), columns);
  }

  /** The columns, cut to their used length. */
  columns(): DatasetColumns {
    return cutColumns(this);
  }

  /** Appends a dataset and returns its number. */
  add(dataset: NewDataset): number {
    const d = this.count;
    if (d === this.identity.length) this.#growRows();
    const start = this.parentStart[d]!;
    const end = start + dataset.parents.length;
    if (end > this.parents.length) {
      this.parents = resized(this.parents, Math.max(end, this.parents.length * 2));
    }
    for (let i = 0; i < dataset.parents.length; i += 1) {
      const parent = dataset.parents[i]!;
      if (!(parent >= 0 && parent < d)) throw new RangeError(`parent ${parent} of dataset ${d} is not known`);
      this.parents[start + i] = parent;
    }
    this.parentStart[d + 1] = end;
    this.identity[d] = dataset.identity;
    this.sizeBytes[d] = dataset.sizeBytes;
    this.computeSeconds[d] = dataset.computeSeconds;
    this.firstRun[d] = -1;
    this.lastDemandRun[d] = -1;
    this.count = d + 1;
    return d;
  }

  /** Puts measured figures in the place of estimates. */
  measure(d: number, sizeBytes: number, computeSeconds: number): void {
    this.sizeBytes[d] = sizeBytes;
    this.computeSeconds[d] = computeSeconds;
  }

  mark(d: number, bits: number): void {
    this.marks[d] = this.marks[d]! | bits;
  }

  unmark(d: number, bits: number): void {
    this.marks[d] = this.marks[d]! & ~bits;
  }

  #growRows(): void {
    const length = Math.max(64, this.identity.length * 2);
    this.identity = resized(this.identity, length);
    this.sizeBytes = resized(this.sizeBytes, length);
    this.computeSeconds = resized(this.computeSeconds, length);
    this.marks = resized(this.marks, length);
    this.parentStart = resized(this.parentStart, length + 1);
    this.uses = resized(this.uses, length);
    this.firstRun = resized(this.firstRun, length);
    this.lastDemandRun = resized(this.lastDemandRun, length);
    this.lastAccessAt = resized(this.lastAccessAt, length);
  }
}

/** Copies of a table's columns, cut to their used length. */
export function cutColumns(known: KnownDatasets): DatasetColumns {
  return mapColumns(known, (column, length) => column.slice(0, length) as typeof column);
}

/** The columns as they lie in memory, cut to their used length; valid until the table changes. */
export function viewColumns(known: KnownDatasets): DatasetColumns {
  return mapColumns(known, (column, length) => column.subarray(0, length) as typeof column);
}

function mapColumns(
  known: KnownDatasets,
  cut: <T extends Column>(column: T, length: number) => T,
): DatasetColumns {
  const n = known.count;
  return {
    count: n,
    identity: cut(known.identity, n),
    sizeBytes: cut(known.sizeBytes, n),
    computeSeconds: cut(known.computeSeconds, n),
    marks: cut(known.marks, n),
    parentStart: cut(known.parentStart, n + 1),
    parents: cut(known.parents, known.parentStart[n]!),
    uses: cut(known.uses, n),
    firstRun: cut(known.firstRun, n),
    lastDemandRun: cut(known.lastDemandRun, n),
    lastAccessAt: cut(known.lastAccessAt, n),
  };
}

const availableBits = datasetMarks.stored | datasetMarks.leaf | datasetMarks.planned;
const untouchableBits = datasetMarks.claimed | datasetMarks.leaf | datasetMarks.pinned | datasetMarks.planned;

/** True when a run may read the dataset instead of computing it. */
export function isAvailable(marks: number): boolean {
  return (marks & availableBits) !== 0;
}

/** True when the dataset may be given up: stored, and neither claimed, leaf, pinned nor being computed (I2). */
export function isCandidate(marks: number): boolean {
  return (marks & datasetMarks.stored) !== 0 && (marks & untouchableBits) === 0;
}

type Column = Uint8Array | Uint32Array | Int32Array | Float64Array;

/** The column with room for `length` entries. */
export function resized<T extends Column>(column: T, length: number): T {
  const grown = new (column.constructor as new (length: number) => T)(length);
  grown.set(column);
  return grown;
}
