// The history of runs and deletions in compact form: one pool of numbers, a few offsets per event. It takes about four
// bytes per dataset named, so that years of history fit in memory and in one message to a worker thread.
import type { EventLog, HistoryEvent } from '../ports/decision-algorithm.ts';
import { resized } from './dataset-table.ts';

/** Plain data of a log: survives structured cloning. */
export interface LogColumns {
  readonly count: number;
  readonly runs: number;
  readonly at: Float64Array;
  readonly offsets: Uint32Array;
  readonly runNumber: Int32Array;
  readonly pool: Int32Array;
}

const listsPerEvent = 4;

export class HistoryLog implements EventLog {
  count = 0;
  runs = 0;
  at = new Float64Array(64);
  offsets = new Uint32Array(64 * listsPerEvent + 1);
  /** Number of the run, or -1 for datasets given up. */
  runNumber = new Int32Array(64);
  pool = new Int32Array(1024);

  /** A log that takes over the columns; they must not be used elsewhere afterwards. */
  static from(columns: LogColumns): HistoryLog {
    return Object.assign(new HistoryLog(), columns);
  }

  /** The events from `first` on, as columns of a log of their own. */
  columns(first = 0): LogColumns {
    const start = this.offsets[first * listsPerEvent]!;
    return {
      count: this.count - first,
      runs: this.runs,
      at: this.at.slice(first, this.count),
      offsets: this.offsets
        .slice(first * listsPerEvent, this.count * listsPerEvent + 1)
        .map((offset) => offset - start),
      runNumber: this.runNumber.slice(first, this.count),
      pool: this.pool.slice(start, this.offsets[this.count * listsPerEvent]),
    };
  }

  /** All events as they lie in memory; valid until the log changes. */
  view(): LogColumns {
    return {
      count: this.count,
      runs: this.runs,
      at: this.at.subarray(0, this.count),
      offsets: this.offsets.subarray(0, this.count * listsPerEvent + 1),
      runNumber: this.runNumber.subarray(0, this.count),
      pool: this.pool.subarray(0, this.offsets[this.count * listsPerEvent]),
    };
  }

  append(event: HistoryEvent): void {
    const index = this.count;
    if (index === this.at.length) {
      const length = Math.max(64, index * 2);
      this.at = resized(this.at, length);
      this.runNumber = resized(this.runNumber, length);
      this.offsets = resized(this.offsets, length * listsPerEvent + 1);
    }
    this.at[index] = event.at;
    if (event.kind === 'run') {
      this.runNumber[index] = event.number;
      this.runs = Math.max(this.runs, event.number + 1);
      this.#put(index, [event.members, event.results, event.demanded, event.computed]);
    } else {
      this.runNumber[index] = -1;
      this.#put(index, [event.datasets]);
    }
    this.count = index + 1;
  }

  event(index: number): HistoryEvent {
    const at = this.at[index]!;
    const number = this.runNumber[index]!;
    if (number < 0) return { kind: 'given-up', at, datasets: this.#list(index, 0) };
    return {
      kind: 'run',
      number,
      at,
      members: this.#list(index, 0),
      results: this.#list(index, 1),
      demanded: this.#list(index, 2),
      computed: this.#list(index, 3),
    };
  }

  /** The datasets of the last `length` submitted actions, oldest first. */
  window(length: number): Int32Array {
    const window = new Int32Array(length);
    let free = length;
    for (let index = this.count - 1; index >= 0 && free > 0; index -= 1) {
      if (this.runNumber[index]! < 0) continue;
      const members = this.#list(index, 0);
      const taken = Math.min(free, members.length);
      free -= taken;
      window.set(members.subarray(members.length - taken), free);
    }
    return window.subarray(free);
  }

  #put(index: number, lists: readonly Int32Array[]): void {
    let end = this.offsets[index * listsPerEvent]!;
    const needed = lists.reduce((sum, list) => sum + list.length, end);
    if (needed > this.pool.length) this.pool = resized(this.pool, Math.max(needed, this.pool.length * 2));
    for (let i = 0; i < listsPerEvent; i += 1) {
      const list = lists[i];
      if (list) {
        this.pool.set(list, end);
        end += list.length;
      }
      this.offsets[index * listsPerEvent + i + 1] = end;
    }
  }

  #list(index: number, which: number): Int32Array {
    const at = index * listsPerEvent + which;
    return this.pool.subarray(this.offsets[at]!, this.offsets[at + 1]!);
  }
}
