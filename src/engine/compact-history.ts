// Drops the details of runs that ended long ago: actions, attempts with their logs, released edges, journal. What decisions learn from was
// recorded before, so that they are the same as ever; run rows, datasets and their lineage stay. Only deleted datasets that nobody used
// for as long and that nothing known was made from are forgotten.
import { type DecisionLease, withDecisionLease } from './decision-lease.ts';
import type { EngineContext } from './engine-context.ts';
import { HistoryFacts } from './history-facts.ts';
import { recordHistory } from './record-history.ts';

export interface CompactionRequest {
  readonly endedBefore: number;
  readonly mostRuns?: number;
}

export interface Compaction {
  /** Runs whose details were dropped. */
  readonly runs: number;
  /** Deleted datasets that were forgotten. */
  readonly datasets: number;
}

const journalSetting = 'history.journal';
const runsAtOnce = 20;
const actionsAtOnce = 2000;
const rowsAtOnce = 5000;
const deletedAtOnce = 500;

/** Shows the recorded history, brought up to date. */
export type Remember = <T>(body: (history: HistoryFacts) => T | Promise<T>) => Promise<T>;

/**
 * Each part is a transaction of its own; what a crash interrupts is gone on with the next time. Undefined while another process
 * does the same. A process that keeps the history says how to look at it; others read all of it.
 */
export async function compactHistory(
  context: EngineContext,
  leaseMs: number,
  request: CompactionRequest,
  remember: Remember = readAll(context),
): Promise<Compaction | undefined> {
  const recorded = await withDecisionLease(context, leaseMs, (lease) =>
    recordHistory(context.store.view, lease),
  );
  if (recorded === undefined) return undefined;
  return withDecisionLease(
    context,
    leaseMs,
    (lease) => compactUnder(context, lease, request, remember),
    'compaction',
  );
}

async function compactUnder(
  context: EngineContext,
  lease: DecisionLease,
  { endedBefore, mostRuns = Number.POSITIVE_INFINITY }: CompactionRequest,
  remember: Remember,
): Promise<Compaction> {
  const { view } = context.store;
  let runs = 0;
  while (runs < mostRuns) {
    const page = await view.compactableRuns({ endedBefore, limit: Math.min(runsAtOnce, mostRuns - runs) });
    for (const runId of page) if (!(await compactRun(context, lease, runId))) return { runs, datasets: 0 };
    runs += page.length;
    if (page.length < runsAtOnce) break;
  }
  await compactJournal(context, lease, endedBefore);
  const settled = await remember((history) => settleDemands(history, lease, endedBefore));
  return { runs, datasets: settled ? await forgetDatasets(context, lease, endedBefore) : 0 };
}

async function compactRun(context: EngineContext, lease: DecisionLease, runId: number): Promise<boolean> {
  const { store, storage, clock } = context;
  for (const key of await store.view.attemptKeysOfRun(runId)) {
    await storage.discardAttempt(key, { keepLogs: false });
  }
  for (let more: boolean | undefined = true; more; ) {
    more = await lease.write((tx) => tx.compactRun(runId, clock.now(), actionsAtOnce));
    if (more === undefined) return false;
  }
  return true;
}

function readAll({ store }: EngineContext): Remember {
  return async (body) => {
    const history = new HistoryFacts();
    await history.catchUp(store.survey);
    return body(history);
  };
}

/** What old runs demanded is written down before anything that tells of it is forgotten. False when the lease was lost. */
async function settleDemands(
  history: HistoryFacts,
  lease: DecisionLease,
  endedBefore: number,
): Promise<boolean> {
  const demands = history.unsettledDemands(endedBefore);
  for (let start = 0; start < demands.length; start += rowsAtOnce) {
    const part = demands.slice(start, start + rowsAtOnce);
    const done = await lease.write(async (tx) => {
      await tx.settleDemands(part);
      return true;
    });
    if (!done) return false;
    history.settled(part);
  }
  return true;
}

/** From the newest to the oldest, so that a branch goes from its ends to its root in one pass. */
async function forgetDatasets(
  context: EngineContext,
  lease: DecisionLease,
  unusedSince: number,
): Promise<number> {
  let forgotten = 0;
  for (let before: number | undefined = Number.MAX_SAFE_INTEGER; before !== undefined; ) {
    const page = await context.store.view.forgettableDatasets({ before, unusedSince, limit: deletedAtOnce });
    const count =
      page.ids.length === 0 ? 0 : await lease.write((tx) => tx.forgetDatasets(page.ids, unusedSince));
    if (count === undefined) return forgotten;
    forgotten += count;
    // What was forgotten may have been all that was made from others of the page.
    if (count === 0) before = page.next;
  }
  return forgotten;
}

async function compactJournal(
  context: EngineContext,
  lease: DecisionLease,
  olderThan: number,
): Promise<void> {
  for (let more: boolean | undefined = true; more; ) {
    const after = Number((await context.store.view.setting(journalSetting)) ?? 0);
    more = await lease.write(async (tx) => {
      const page = await tx.compactJournal({ after, olderThan, limit: rowsAtOnce });
      if (page.through > after) await tx.putSetting(journalSetting, String(page.through));
      return page.more;
    });
  }
}
