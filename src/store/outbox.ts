// What a transaction collects while it goes and writes once, just before its commit: journal rows, changes of the dataset
// totals, and the new rows of plans. Topics are told after the commit.
import type { Births } from './births.ts';
import type { Session, Value } from './database.ts';
import { journalTable } from './tables.ts';

interface Total {
  count: number;
  bytes: number;
}

export const totalColumns = { state: 'text', count: 'int', bytes: 'int' } as const;

export class Outbox {
  readonly topics: Set<string>;
  /** Whether a body that shares this outbox holds the planners' lock already; all of them are in one transaction. */
  planningLocked = false;
  /** New rows of plans; only in a transaction of planners. */
  births: Births | undefined;
  /** Where the queue stands for all plans of the transaction: they do not move it. */
  dispatchClock: Promise<number> | undefined;
  #journal: Value[][] = [];
  #totals = new Map<string, Total>();

  constructor(topics = new Set<string>()) {
    this.topics = topics;
  }

  /** A row in the order of `journalTable.insertable`. */
  addJournal(row: Value[]): void {
    this.#journal.push(row);
  }

  addTotal(state: string, count: number, bytes: number): void {
    const total = this.#totals.get(state);
    if (!total) this.#totals.set(state, { count, bytes });
    else {
      total.count += count;
      total.bytes += bytes;
    }
  }

  get changesTotals(): boolean {
    return this.#totals.size > 0;
  }

  /** Writes what was collected; may be called again when more has come. */
  async flush(session: Session): Promise<void> {
    await this.births?.write();
    const changes = [...this.#totals].filter(([, total]) => total.count !== 0 || total.bytes !== 0);
    this.#totals.clear();
    if (changes.length > 0) {
      const rows = changes.map(([state, total]) => [state, total.count, total.bytes]);
      await session.insert('dataset_total', totalColumns, rows);
    }
    if (this.#journal.length > 0) {
      const rows = this.#journal;
      this.#journal = [];
      this.topics.add('journal');
      await session.append('journal', journalTable.insertable, rows);
    }
  }
}
