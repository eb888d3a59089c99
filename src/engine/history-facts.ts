// The history as decision algorithms see it, built from what is recorded. It follows along: each time only events that are new since the
// last look are taken in, whether the look was that of this process or of an earlier one that kept what it knew. From nothing, everything
// is taken in, with the same outcome.
import { DecisionHistory, type HistorySnapshot } from '../core/eviction/decision-history.ts';
import { TextColumn, type TextColumnData } from '../core/eviction/text-column.ts';
import { countIds, decodeIds, encodeIds } from '../core/id-ranges.ts';
import type { HistoryEventRow, SettledDemand } from '../core/ports/history.ts';
import type { StoreView } from '../core/ports/store.ts';
import { breathe } from './breathe.ts';
import { DatasetNumbers, type NumbersData, type ReadDatasets } from './dataset-numbers.ts';

const eventsAtOnce = 500;
/** Datasets of the events that are taken in between two breaths. */
const datasetsAtOnce = 2000;

/** Plain data of the history. */
export interface HistoryFactsData {
  readonly past: HistorySnapshot;
  readonly numbers: NumbersData;
  readonly through: number;
  readonly unsettled: readonly (readonly [number, number])[];
  readonly users: TextColumnData;
}

export class HistoryFacts {
  readonly past: DecisionHistory;
  readonly numbers: DatasetNumbers;
  /** Sequence number of the last event taken in. */
  #through: number;
  /** Runs whose demand nobody has written down: their place in the log, by sequence number. */
  readonly #unsettled: Map<number, number>;
  /** By run number: who submitted it. */
  readonly #users: TextColumn;

  /** A history that knows nothing, or what it knew when `data` was taken. */
  constructor(data?: HistoryFactsData) {
    this.past = new DecisionHistory(data?.past);
    this.numbers = new DatasetNumbers(this.past.table, data?.numbers);
    this.#through = data?.through ?? 0;
    this.#unsettled = new Map(data?.unsettled);
    this.#users = new TextColumn(data?.users);
  }

  get through(): number {
    return this.#through;
  }

  /** Shows what is known; valid until more is taken in. */
  view(): HistoryFactsData {
    return {
      past: this.past.view(),
      numbers: this.numbers.view(),
      through: this.#through,
      unsettled: [...this.#unsettled],
      users: this.#users.view(),
    };
  }

  /** Takes in every recorded event that is new. Other work of the process goes on meanwhile, however long the history. */
  async catchUp(view: StoreView): Promise<void> {
    for (;;) {
      const events = await view.historyEvents({ after: this.#through, limit: eventsAtOnce });
      for (const part of inParts(events)) {
        await this.#take(view, part);
        this.#through = part.at(-1)?.seq ?? this.#through;
        await breathe();
      }
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
    this.#users.push(event.userName);
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
    return this.#users.get(this.past.table.firstRun[dataset] ?? -1);
  }
}

/** Events in order, together so many that they name about `datasetsAtOnce` datasets. */
function* inParts(events: readonly HistoryEventRow[]): Generator<HistoryEventRow[]> {
  let part: HistoryEventRow[] = [];
  let datasets = 0;
  for (const event of events) {
    part.push(event);
    datasets += countIds(event.datasets);
    if (datasets < datasetsAtOnce) continue;
    yield part;
    part = [];
    datasets = 0;
  }
  if (part.length > 0) yield part;
}
