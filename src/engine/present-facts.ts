// What is there at this moment, laid over the history: which datasets have files, which of them are claimed, pinned, results or being
// made. Datasets of runs that are still under way stand at the end of the table until the look is over.

import { defaultWindow } from '../core/eviction/decision-history.ts';
import { type KeepRule, ruledEffect } from '../core/eviction/keep-rules.ts';
import { type DecisionFacts, datasetMarks } from '../core/ports/decision-algorithm.ts';
import type { PresenceColumns, PresentDataset } from '../core/ports/history.ts';
import type { StoreView } from '../core/ports/store.ts';
import type { HistoryFacts } from './history-facts.ts';
import type { LookedAtRow } from './price-choice.ts';

const rowsAtOnce = 10_000;
const { stored, claimed, leaf, pinned, planned } = datasetMarks;

export interface Present {
  /** The row behind a number, if its files are there for good. */
  rowOf(number: number): LookedAtRow | undefined;
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
  const presence = await readPresence(view);
  await takeUnknown(view, history, presence);
  const rows = new PresentRows(history, presence);
  const { gone, returned } = differences(history, rows, settled);
  for (const row of returned.length === 0 ? [] : await view.datasetSketches(returned)) {
    numbers.measure(row.id, row.sizeBytes ?? 0, row.computeMs ?? 0);
  }
  layMarks(history, rows, await view.claims());
  const producers = await dateFresh(view, history, rows, settled, rules);
  const unwanted = obeyRules(history, rows, settled, rules, producers);
  return {
    rowOf: (number) => rows.of(number),
    gone,
    unwanted,
    coming: rows.coming.length === 0 ? [] : await view.presentDatasetsById(rows.coming),
    facts(now, bytesToFree) {
      const facts = past.facts(now, bytesToFree);
      return { ...facts, window: windowWith(facts.window, settled, table.count) };
    },
    end: () => numbers.rewind(settled),
  };
}

/** The rolling window with the datasets of runs under way at its end: their actions were submitted last. */
function windowWith(window: Int32Array, settled: number, count: number): Int32Array {
  const fresh = Array.from({ length: count - settled }, (_, i) => settled + i);
  return fresh.length === 0 ? window : Int32Array.from([...window, ...fresh].slice(-defaultWindow));
}

/** Rows by number, in columns. */
class PresentRows {
  readonly #history: HistoryFacts;
  /** By number: the row's id, or 0 where no files are. */
  readonly ids: Float64Array;
  readonly versions: Float64Array;
  readonly marks: Uint8Array;
  /** Rows of datasets that are being computed to be stored. */
  readonly coming: number[] = [];

  constructor(history: HistoryFacts, presence: PresenceColumns) {
    const { count } = history.past.table;
    this.#history = history;
    this.ids = new Float64Array(count);
    this.versions = new Float64Array(count);
    this.marks = new Uint8Array(count);
    for (let i = 0; i < presence.ids.length; i += 1) {
      const marks = presence.marks[i]!;
      const number = history.numbers.of(presence.ids[i]!);
      if ((marks & planned) !== 0) {
        if ((marks & leaf) === 0) this.coming.push(presence.ids[i]!);
        if (number !== undefined) this.marks[number] = planned;
        continue;
      }
      if (number === undefined) continue;
      this.ids[number] = presence.ids[i]!;
      this.versions[number] = presence.versions[i]!;
      this.marks[number] = marks;
    }
  }

  of(number: number): LookedAtRow | undefined {
    const id = this.ids[number] ?? 0;
    if (id === 0) return undefined;
    return { id, version: this.versions[number]!, name: this.#history.numbers.name(number) };
  }
}

/** All pages, so that other work goes on between them. */
async function readPresence(view: StoreView): Promise<PresenceColumns> {
  const pages: PresenceColumns[] = [];
  for (let after = 0; ; ) {
    const page = await view.presence({ after, limit: rowsAtOnce });
    pages.push(page);
    if (page.ids.length < rowsAtOnce) break;
    after = page.ids.at(-1) as number;
    await new Promise((resolve) => setImmediate(resolve));
  }
  const count = pages.reduce((sum, page) => sum + page.ids.length, 0);
  const all = {
    ids: new Float64Array(count),
    versions: new Float64Array(count),
    marks: new Uint8Array(count),
  };
  let at = 0;
  for (const page of pages) {
    all.ids.set(page.ids, at);
    all.versions.set(page.versions, at);
    all.marks.set(page.marks, at);
    at += page.ids.length;
  }
  return all;
}

/** Datasets of runs that are not part of the history yet get numbers for the time of the look. */
async function takeUnknown(
  view: StoreView,
  { numbers }: HistoryFacts,
  { ids, marks }: PresenceColumns,
): Promise<void> {
  const unknown: number[] = [];
  for (let i = 0; i < ids.length; i += 1) {
    if ((marks[i]! & stored) !== 0 && numbers.of(ids[i]!) === undefined) unknown.push(ids[i]!);
  }
  if (unknown.length > 0) await numbers.take(view, unknown);
}

/** What the history believes to be stored and is not, and rows of what it believes gone and is there. */
function differences(
  { past }: HistoryFacts,
  rows: PresentRows,
  settled: number,
): { gone: Int32Array; returned: number[] } {
  const gone: number[] = [];
  const returned: number[] = [];
  for (let d = 0; d < settled; d += 1) {
    const believed = (past.table.marks[d]! & (stored | leaf)) !== 0;
    const id = rows.ids[d]!;
    if (believed && id === 0) gone.push(d);
    if (!believed && id !== 0) returned.push(id);
  }
  return { gone: Int32Array.from(gone), returned };
}

function layMarks(
  { numbers, past }: HistoryFacts,
  rows: PresentRows,
  claims: { readonly datasetIds: Float64Array; readonly pins: Uint8Array },
): void {
  const { table } = past;
  table.marks.set(rows.marks);
  for (let i = 0; i < claims.datasetIds.length; i += 1) {
    const d = numbers.of(claims.datasetIds[i]!);
    if (d !== undefined && rows.ids[d] === claims.datasetIds[i]) {
      table.mark(d, claims.pins[i] === 1 ? pinned : claimed);
    }
  }
}

/** Datasets of runs under way count as wanted by the newest run; returns who computed them if a rule asks for it. */
async function dateFresh(
  view: StoreView,
  { past }: HistoryFacts,
  rows: PresentRows,
  settled: number,
  rules: readonly KeepRule[],
): Promise<ReadonlyMap<number, string>> {
  const { table, log } = past;
  const newest = Math.max(0, log.runs - 1);
  const fresh = new Map<number, number>();
  for (let d = settled; d < table.count; d += 1) {
    table.firstRun[d] = newest;
    table.lastDemandRun[d] = newest;
    if (rows.ids[d] !== 0) fresh.set(rows.ids[d]!, d);
  }
  if (fresh.size === 0) return new Map();
  const read = await view.presentDatasetsById([...fresh.keys()]);
  for (const row of read) table.lastAccessAt[fresh.get(row.id) as number] = row.usedAt ?? 0;
  if (rules.every((rule) => rule.userName === null)) return new Map();
  const users = await usersOfProducers(view, read);
  return new Map(read.map((row) => [fresh.get(row.id) as number, users.get(row.producerId ?? -1) ?? '']));
}

/** Marks what rules keep, and lists what they say is not to be kept and nothing holds. */
function obeyRules(
  history: HistoryFacts,
  rows: PresentRows,
  settled: number,
  rules: readonly KeepRule[],
  producers: ReadonlyMap<number, string>,
): { number: number; rule: KeepRule }[] {
  const unwanted: { number: number; rule: KeepRule }[] = [];
  if (rules.length === 0) return unwanted;
  const { table } = history.past;
  for (let d = 0; d < table.count; d += 1) {
    if (rows.ids[d] === 0) continue;
    const userName = (d < settled ? history.userOf(d) : producers.get(d)) ?? '';
    const ruled = ruledEffect(rules, {
      name: history.numbers.name(d),
      userName,
      sizeBytes: table.sizeBytes[d]!,
    });
    if (ruled?.effect === 'keep') table.mark(d, pinned);
    if (ruled?.effect === 'never-keep' && (table.marks[d]! & (leaf | claimed | pinned)) === 0) {
      unwanted.push({ number: d, rule: ruled.rule });
    }
  }
  return unwanted;
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
