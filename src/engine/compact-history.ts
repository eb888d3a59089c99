// Drops the details of runs that ended long ago: actions, attempts with their logs, released edges, journal. What decisions learn from was
// recorded before, so that they are the same as ever; run rows, datasets and their lineage stay.
import { type DecisionLease, withDecisionLease } from './decision-lease.ts';
import type { EngineContext } from './engine-context.ts';
import { recordHistory } from './record-history.ts';

export interface CompactionRequest {
  readonly endedBefore: number;
  readonly mostRuns?: number;
}

export interface Compaction {
  readonly runs: number;
}

const journalSetting = 'history.journal';
const runsAtOnce = 20;
const actionsAtOnce = 2000;
const rowsAtOnce = 5000;

/**
 * Each part is a transaction of its own; what a crash interrupts is gone on with the next time. Undefined while another process
 * does the same.
 */
export async function compactHistory(
  context: EngineContext,
  leaseMs: number,
  request: CompactionRequest,
): Promise<Compaction | undefined> {
  const recorded = await withDecisionLease(context, leaseMs, (lease) =>
    recordHistory(context.store.view, lease),
  );
  if (recorded === undefined) return undefined;
  return withDecisionLease(context, leaseMs, (lease) => compactUnder(context, lease, request), 'compaction');
}

async function compactUnder(
  context: EngineContext,
  lease: DecisionLease,
  { endedBefore, mostRuns = Number.POSITIVE_INFINITY }: CompactionRequest,
): Promise<Compaction> {
  const { view } = context.store;
  let runs = 0;
  while (runs < mostRuns) {
    const page = await view.compactableRuns({ endedBefore, limit: Math.min(runsAtOnce, mostRuns - runs) });
    for (const runId of page) if (!(await compactRun(context, lease, runId))) return { runs };
    runs += page.length;
    if (page.length < runsAtOnce) break;
  }
  await compactJournal(context, lease, endedBefore);
  return { runs };
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
