// What is known about datasets and runs, kept up to date event by event: the table, the log and the usage columns. The
// production loop feeds it from the database, the simulator from a generated history.
import { type DecisionFacts, datasetMarks } from '../ports/decision-algorithm.ts';
import { type DatasetColumns, DatasetTable, viewColumns } from './dataset-table.ts';
import { HistoryLog, type LogColumns } from './history-log.ts';
import { demandOf, type SubmittedRun } from './run-demand.ts';

export interface ObservedRun extends SubmittedRun {
  readonly at: number;
  /** Members that were really computed. */
  readonly computed: ArrayLike<number>;
  /** What it demanded, ascending; found out from the graph if left out. */
  readonly demanded?: Int32Array | undefined;
}

/** Plain data of a history: survives structured cloning and `node:v8` serialisation. */
export interface HistorySnapshot {
  readonly table: DatasetColumns;
  readonly log: LogColumns;
  readonly seen: number;
}

/** The thesis' rolling window is the last 200 actions. */
export const defaultWindow = 200;

export class DecisionHistory {
  readonly table: DatasetTable;
  readonly log: HistoryLog;
  /** Datasets below this number appeared in an earlier run. */
  #seen: number;

  constructor(snapshot?: HistorySnapshot) {
    this.table = snapshot ? DatasetTable.from(snapshot.table) : new DatasetTable();
    this.log = snapshot ? HistoryLog.from(snapshot.log) : new HistoryLog();
    this.#seen = snapshot?.seen ?? 0;
  }

  snapshot(): HistorySnapshot {
    return { table: this.table.columns(), log: this.log.columns(), seen: this.#seen };
  }

  /** Shows the history as it lies in memory; valid until it changes. */
  view(): HistorySnapshot {
    return { table: viewColumns(this.table), log: this.log.view(), seen: this.#seen };
  }

  /**
   * Takes in a run whose datasets are all in the table. Every dataset added since the run before counts as never seen.
   * Computed datasets become stored, results become leaves.
   */
  recordRun(run: ObservedRun): Int32Array {
    const { table } = this;
    const number = this.log.runs;
    const demanded = run.demanded ?? demandOf(table, run, this.#seen);
    for (const d of demanded) {
      table.uses[d] = table.uses[d]! + 1;
      table.lastDemandRun[d] = number;
      table.lastAccessAt[d] = run.at;
    }
    for (let d = this.#seen; d < table.count; d += 1) {
      table.firstRun[d] = number;
      table.lastDemandRun[d] = number;
    }
    for (let i = 0; i < run.computed.length; i += 1) {
      table.lastAccessAt[run.computed[i]!] = run.at;
      table.mark(run.computed[i]!, datasetMarks.stored);
    }
    for (let i = 0; i < run.results.length; i += 1) table.mark(run.results[i]!, datasetMarks.leaf);
    this.#seen = table.count;
    this.log.append({
      kind: 'run',
      number,
      at: run.at,
      members: Int32Array.from(run.members),
      results: Int32Array.from(run.results),
      demanded,
      computed: Int32Array.from(run.computed),
    });
    return demanded;
  }

  /** Takes in a deletion: the datasets are no longer stored. */
  recordGivenUp(at: number, datasets: ArrayLike<number>): void {
    const gone = datasetMarks.stored | datasetMarks.leaf;
    for (let i = 0; i < datasets.length; i += 1) this.table.unmark(datasets[i]!, gone);
    this.log.append({ kind: 'given-up', at, datasets: Int32Array.from(datasets) });
  }

  /** Facts for a decision at this moment, with marks as they stand in the table. */
  facts(now: number, bytesToFree: number, window: number = defaultWindow): DecisionFacts {
    return { now, bytesToFree, known: this.table, history: this.log, window: this.log.window(window) };
  }
}
