// What is there at this moment, laid over the history: which datasets have files, which of them are claimed, pinned, results or being
// made. Datasets of runs that are still under way stand at the end of the table until the look is over.

import { type KeepRule, ruledEffect } from '../core/eviction/keep-rules.ts';
import { type DecisionFacts, datasetMarks } from '../core/ports/decision-algorithm.ts';
import type { PresentDataset } from '../core/ports/history.ts';
import type { StoreView } from '../core/ports/store.ts';
import type { HistoryFacts } from './history-facts.ts';

const rowsAtOnce = 5000;

export interface Present {
  /** Rows by number; only those whose files are there for good. */
  readonly rows: ReadonlyMap<number, PresentDataset>;
  /** Datasets that no row stands for although the history says that they are stored. */
  readonly gone: Int32Array;
  /** Datasets that a rule says are not to be kept, and that nothing holds. */
  readonly unwanted: readonly { readonly number: number; readonly rule: KeepRule }[];
  /** Datasets that are being computed to be stored. */
  readonly coming: readonly PresentDataset[];
  facts(now: number, bytesToFree: number): DecisionFacts;
  /** Takes the datasets of runs under way out of the table again. */
  end(): void;
}

/** Reads what is there. The caller ends the look before it takes in further events. */
export async function lookAround(
  view: StoreView,
  history: HistoryFacts,
  rules: readonly KeepRule[],
): Promise<Present> {
  const { numbers, past } = history;
  const { table } = past;
  const settled = table.count;
  const present = await presentRows(view);
  const stored = present.filter((row) => row.state === 'STORED' || row.state === 'LEAF');
  await numbers.take(
    view,
    stored.map((row) => row.id),
  );
  const rows = new Map<number, PresentDataset>();
  for (const row of stored) {
    const number = numbers.of(row.id);
    if (number !== undefined) rows.set(number, row);
  }
  const gone = missingOf(table.marks, settled, rows);
  const fresh = [...rows].flatMap(([d, row]) => (d >= settled ? [row] : []));
  const producers = rules.some((rule) => rule.userName !== null)
    ? await usersOfProducers(view, fresh)
    : new Map<number, string>();
  const userOf = (d: number): string =>
    (d < settled ? history.userOf(d) : producers.get(rows.get(d)?.producerId ?? -1)) ?? '';

  table.marks.fill(0, 0, table.count);
  const newest = Math.max(0, past.log.runs - 1);
  const unwanted: { number: number; rule: KeepRule }[] = [];
  for (const [d, row] of rows) {
    numbers.measure(row.id, row.sizeBytes ?? 0, row.computeMs ?? 0);
    if (d >= settled) {
      table.firstRun[d] = newest;
      table.lastDemandRun[d] = newest;
      table.lastAccessAt[d] = row.usedAt ?? 0;
    }
    const ruled =
      rules.length === 0
        ? undefined
        : ruledEffect(rules, { name: row.name, userName: userOf(d), sizeBytes: row.sizeBytes ?? 0 });
    const kept = row.keep === 'always' || row.pinned === 1 || ruled?.effect === 'keep';
    table.mark(d, marksOf(row, kept));
    if (ruled?.effect === 'never-keep' && row.state === 'STORED' && row.claimed === 0 && !kept) {
      unwanted.push({ number: d, rule: ruled.rule });
    }
  }
  const coming: PresentDataset[] = [];
  for (const row of present) {
    if (row.state === 'TO_STORE') coming.push(row);
    const d = numbers.of(row.id);
    if (d !== undefined && (row.state === 'TO_STORE' || row.state === 'TO_LEAF'))
      table.mark(d, datasetMarks.planned);
  }
  return {
    rows,
    gone,
    unwanted,
    coming,
    facts: (now, bytesToFree) => past.facts(now, bytesToFree),
    end: () => numbers.rewind(settled),
  };
}

function marksOf(row: PresentDataset, kept: boolean): number {
  return (
    datasetMarks.stored |
    (row.state === 'LEAF' ? datasetMarks.leaf : 0) |
    (row.claimed === 1 ? datasetMarks.claimed : 0) |
    (kept ? datasetMarks.pinned : 0) |
    (row.nondeterministic === 1 ? datasetMarks.nondeterministic : 0)
  );
}

/** Every row that is not DELETED and counts as the dataset of its signature, in pages, so that other work goes on between them. */
async function presentRows(view: StoreView): Promise<PresentDataset[]> {
  const found: PresentDataset[] = [];
  for (let after = 0; ; ) {
    const page = await view.presentDatasets({ after, limit: rowsAtOnce });
    for (const row of page) if (row.isCurrent === 1 && row.managed === 1) found.push(row);
    const last = page.at(-1);
    if (!last || page.length < rowsAtOnce) return found;
    after = last.id;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

function missingOf(
  marks: Uint8Array,
  settled: number,
  rows: ReadonlyMap<number, PresentDataset>,
): Int32Array {
  const stored = datasetMarks.stored | datasetMarks.leaf;
  const gone: number[] = [];
  for (let d = 0; d < settled; d += 1) {
    if ((marks[d]! & stored) !== 0 && !rows.has(d)) gone.push(d);
  }
  return Int32Array.from(gone);
}

/** Users by action id, for datasets whose run is not part of the history yet. */
async function usersOfProducers(
  view: StoreView,
  rows: readonly PresentDataset[],
): Promise<Map<number, string>> {
  const ids = rows.flatMap((row) => row.producerId ?? []);
  if (ids.length === 0) return new Map();
  const actions = await view.actions(ids);
  const runs = await view.runs([...new Set(actions.map((action) => action.runId))]);
  const users = new Map(runs.map((run) => [run.id, run.userName]));
  return new Map(actions.map((action) => [action.id, users.get(action.runId) ?? '']));
}
