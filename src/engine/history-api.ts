// The history as people and programs ask for it: runs in order as simplified workflows, with the datasets of each, their parents, and what
// was computed or reused. What ended but is not recorded yet is recorded first, if nobody else is at it.
import { decodeIds } from '../core/id-ranges.ts';
import type { HistoryEventRow } from '../core/ports/history.ts';
import type { StoreView } from '../core/ports/store.ts';
import { withDecisionLease } from './decision-lease.ts';
import type { EngineContext } from './engine-context.ts';
import { recordHistory } from './record-history.ts';

export interface HistoryRun {
  /** The cursor of the page: runs are numbered in the order in which their ends were recorded. */
  readonly seq: number;
  readonly run: number;
  readonly workflow: string;
  readonly user: string;
  readonly submittedAt: number;
  readonly endedAt: number;
  readonly datasets: number;
  readonly results: number;
  readonly computed: number;
  readonly reused: number;
  readonly computedMs: number;
  readonly savedMs: number;
  readonly paidMs: number;
  readonly compacted: boolean;
}

export interface HistoryMember {
  readonly dataset: string;
  readonly name: string;
  /** Signatures of the datasets from which it was computed. */
  readonly parents: readonly string[];
  readonly result: boolean;
  readonly computed: boolean;
  readonly bytes: number;
  readonly seconds: number;
}

/** Records what ended since the last time; does nothing while another process records. */
export async function refreshHistory(context: EngineContext, leaseMs: number): Promise<void> {
  await withDecisionLease(context, leaseMs, (lease) => recordHistory(context.store.view, lease));
}

/** A page of runs: after a cursor in order, or before one with the newest first. */
export async function listHistory(
  view: StoreView,
  page: {
    readonly after?: number | undefined;
    readonly before?: number | undefined;
    readonly realms?: readonly string[] | undefined;
    readonly limit: number;
  },
): Promise<HistoryRun[]> {
  const { after, before, realms, limit } = page;
  const cursor = after !== undefined ? { after } : { before: before ?? Number.MAX_SAFE_INTEGER };
  const events = await view.historyEvents({ ...cursor, kind: 'run', realms, limit });
  return events.map((event) => ({
    seq: event.seq,
    run: event.runId as number,
    workflow: event.workflow,
    user: event.userName,
    submittedAt: event.submittedAt,
    endedAt: event.at,
    datasets: decodeIds(event.datasets).length,
    results: decodeIds(event.results).length,
    computed: event.computedCount,
    reused: event.reusedCount,
    computedMs: event.computedMs,
    savedMs: event.savedMs,
    paidMs: event.paidMs,
    compacted: event.compactedAt !== null,
  }));
}

/** The simplified workflow of a recorded run, parents before children. */
export async function historyMembers(view: StoreView, event: HistoryEventRow): Promise<HistoryMember[]> {
  const ids = decodeIds(event.datasets);
  const rows = new Map((await view.datasetSketches(ids)).map((row) => [row.id, row]));
  const links = await view.parentsOf(ids);
  const missing = [...new Set(links.map((link) => link.parentId))].filter((id) => !rows.has(id));
  const strangers = new Map((await view.datasetSketches(missing)).map((row) => [row.id, row]));
  const parents = Map.groupBy(links, (link) => link.datasetId);
  const results = new Set(decodeIds(event.results));
  const computed = new Set(decodeIds(event.computed));
  return inOrder(ids, (id) => (parents.get(id) ?? []).map((link) => link.parentId)).flatMap((id) => {
    const row = rows.get(id);
    if (!row) return [];
    const above = (parents.get(id) ?? []).map(
      (link) => rows.get(link.parentId) ?? strangers.get(link.parentId),
    );
    return [
      {
        dataset: row.signature,
        name: row.name,
        parents: [...new Set(above.flatMap((parent) => parent?.signature ?? []))],
        result: results.has(id),
        computed: computed.has(id),
        bytes: row.sizeBytes ?? 0,
        seconds: (row.computeMs ?? 0) / 1000,
      },
    ];
  });
}

/** Members of the list with all their parents in the list before them. */
function inOrder(ids: readonly number[], parentsOf: (id: number) => readonly number[]): number[] {
  const listed = new Set(ids);
  const placed = new Set<number>();
  for (const id of ids) {
    const stack = [id];
    const open = new Set<number>();
    while (stack.length > 0) {
      const top = stack.at(-1) as number;
      const waiting = parentsOf(top).filter((one) => listed.has(one) && !placed.has(one) && !open.has(one));
      open.add(top);
      if (waiting.length > 0 && !placed.has(top)) stack.push(...waiting);
      else placed.add(stack.pop() as number);
    }
  }
  return [...placed];
}
