// The history as decision algorithms see it, built from what is recorded. It follows along: each time only events that are new since the
// last look are taken in, and after a restart everything is, with the same outcome.
import { DecisionHistory } from '../core/eviction/decision-history.ts';
import { decodeIds, encodeIds } from '../core/id-ranges.ts';
import type { HistoryEventRow, SettledDemand } from '../core/ports/history.ts';
import type { StoreView } from '../core/ports/store.ts';
import { DatasetNumbers, type ReadDatasets } from './dataset-numbers.ts';

const eventsAtOnce = 500;

export class HistoryFacts {
  readonly past = new DecisionHistory();
  readonly numbers = new DatasetNumbers(this.past.table);
  /** Sequence number of the last event taken in. */
  #through = 0;
  /** Runs whose demand nobody has written down: their place in the log, by sequence number. */
  readonly #unsettled = new Map<number, number>();
  /** By run number: who submitted it. */
  readonly #users: string[] = [];

  /** Takes in every recorded event that is new. */
  async catchUp(view: StoreView): Promise<void> {
    for (;;) {
      const events = await view.historyEvents({ after: this.#through, limit: eventsAtOnce });
      await this.#take(view, events);
      this.#through = events.at(-1)?.seq ?? this.#through;
      if (events.length < eventsAtOnce) return;
    }
  }

  /** Takes in datasets that were found gone; `seq` is under what the caller has just recorded them. */
  takeGone(seq: number, at: number, datasets: Int32Array): void {
    this.past.recordGivenUp(at, datasets);
    this.#through = seq;
  }

  /** Rows are read for all events together; numbers are given event by event, so that each knows what was new in it. */
  async #take(view: StoreView, events: readonly HistoryEventRow[]): Promise<void> {
    const { numbers } = this;
    const runs = events.filter((event) => event.kind === 'run');
    const again = runs.flatMap((run) => decodeIds(run.computed)).filter((id) => numbers.of(id) !== undefined);
    const read = await numbers.read(view, [...new Set(runs.flatMap((run) => decodeIds(run.datasets)))]);
    for (const event of events) {
      if (event.kind === 'run') this.#takeRun(event, read);
      else this.past.recordGivenUp(event.at, numbers.all(decodeIds(event.datasets)));
    }
    for (const row of again.length === 0 ? [] : await view.datasetSketches(again)) {
      if (row.sizeBytes !== null) numbers.measure(row.id, row.sizeBytes, row.computeMs ?? 0);
    }
  }

  #takeRun(event: HistoryEventRow, read: ReadDatasets): void {
    const { numbers, past } = this;
    const datasets = decodeIds(event.datasets);
    numbers.add(datasets, read);
    this.#users[past.log.runs] = event.userName;
    if (event.demanded === null) this.#unsettled.set(event.seq, past.log.count);
    past.recordRun({
      at: event.at,
      members: numbers.all(datasets),
      results: numbers.all(decodeIds(event.results)),
      computed: numbers.all(decodeIds(event.computed)),
      forced: numbers.all(decodeIds(event.forced)),
      demanded: event.demanded === null ? undefined : numbers.all(decodeIds(event.demanded)),
    });
  }

  /** What runs that ended before a time demanded, as far as it is not written down. */
  unsettledDemands(endedBefore: number): SettledDemand[] {
    const { numbers, past } = this;
    const demands: SettledDemand[] = [];
    for (const [seq, index] of this.#unsettled) {
      const event = past.log.event(index);
      if (event.kind !== 'run' || event.at >= endedBefore) continue;
      demands.push({ seq, demanded: encodeIds(Array.from(event.demanded, (d) => numbers.row(d))) });
    }
    return demands;
  }

  /** These demands are written down. */
  settled(demands: readonly SettledDemand[]): void {
    for (const { seq } of demands) this.#unsettled.delete(seq);
  }

  /** Who submitted the run in which the dataset first appeared. */
  userOf(dataset: number): string | undefined {
    return this.#users[this.past.table.firstRun[dataset] ?? -1];
  }
}
