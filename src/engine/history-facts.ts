// The history as decision algorithms see it, built from what is recorded. It follows along: each time only events that are new since the
// last look are taken in, and after a restart everything is, with the same outcome.
import { DecisionHistory } from '../core/eviction/decision-history.ts';
import { decodeIds } from '../core/id-ranges.ts';
import type { HistoryEventRow, NewHistoryEvent } from '../core/ports/history.ts';
import type { StoreView } from '../core/ports/store.ts';
import { DatasetNumbers } from './dataset-numbers.ts';

const eventsAtOnce = 500;

export class HistoryFacts {
  readonly past = new DecisionHistory();
  readonly numbers = new DatasetNumbers(this.past.table);
  /** Sequence number of the last event taken in. */
  #through = 0;
  /** By run number: who submitted it. */
  readonly #users: string[] = [];

  /** Takes in every recorded event that is new. */
  async catchUp(view: StoreView): Promise<void> {
    for (;;) {
      const events = await view.historyEvents({ after: this.#through, limit: eventsAtOnce });
      for (const event of events) {
        await this.take(view, event);
        this.#through = event.seq;
      }
      if (events.length < eventsAtOnce) return;
    }
  }

  /** Takes in datasets that were found gone; `seq` is under what the caller has just recorded them. */
  takeGone(seq: number, at: number, datasets: Int32Array): void {
    this.past.recordGivenUp(at, datasets);
    this.#through = seq;
  }

  /** Takes in one event that is not, or not yet, recorded. */
  async take(view: StoreView, event: HistoryEventRow | NewHistoryEvent): Promise<void> {
    const { numbers, past } = this;
    const datasets = decodeIds(event.datasets);
    if (event.kind === 'given-up') {
      past.recordGivenUp(event.at, numbers.all(datasets));
      return;
    }
    const computed = decodeIds(event.computed);
    const again = computed.filter((id) => numbers.of(id) !== undefined);
    await numbers.take(view, datasets);
    for (const row of again.length === 0 ? [] : await view.datasetSketches(again)) {
      if (row.sizeBytes !== null) numbers.measure(row.id, row.sizeBytes, row.computeMs ?? 0);
    }
    this.#users[past.log.runs] = event.userName;
    past.recordRun({
      at: event.at,
      members: numbers.all(datasets),
      results: numbers.all(decodeIds(event.results)),
      computed: numbers.all(computed),
      forced: numbers.all(decodeIds(event.forced)),
    });
  }

  /** Who submitted the run in which the dataset first appeared. */
  userOf(dataset: number): string | undefined {
    return this.#users[this.past.table.firstRun[dataset] ?? -1];
  }
}
