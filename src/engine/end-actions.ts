// The failed and killed callbacks: actions end without a dataset. Their descendants in the same run end as SKIPPED with the reason and
// never hang; an action of another run that had joined gets the computation for itself.
import type { JsonObject } from '../core/json.ts';
import type { MoveContext, StoreTransaction } from '../core/ports/store.ts';
import { type Reason, type ReasonCode, reasonJson } from '../core/reason.ts';
import type { ActionRow, EdgeRow } from '../core/rows.ts';
import { closeRuns } from './close-runs.ts';
import { readyActions } from './deliver-datasets.ts';
import { replan } from './replan.ts';
import { stopAbandoned } from './stop-abandoned.ts';

export interface Ending {
  readonly action: ActionRow;
  readonly event: 'fail' | 'kill' | 'skip';
  readonly reason?: Reason;
  readonly error?: JsonObject;
  /** Only if the caller still owns the action. */
  readonly fenced?: boolean;
  /** A condition is behind it, not a failure: only then may an optional input stay empty. */
  readonly byCondition?: boolean;
}

const consequence: Record<Ending['event'], ReasonCode> = {
  fail: 'PARENT_FAILED',
  kill: 'PARENT_KILLED',
  skip: 'PARENT_SKIPPED',
};

/** Ends the actions and everything that waits for them; returns the ids of all that ended. */
export async function endActions(
  tx: StoreTransaction,
  endings: readonly Ending[],
  context: MoveContext,
): Promise<Set<number>> {
  const ended = new Set<number>();
  if (endings.length === 0) return ended;
  // No planner may begin to wait for something that is just ending.
  await tx.lockPlanning();
  const runs = new Set<number>();
  const unjoined = new Set<number>();
  let layer = endings;
  while (layer.length > 0) {
    const joiners = new Map<number, EdgeRow[]>();
    const done = await endLayer(tx, layer, unjoined, context);
    for (const { action } of done) {
      ended.add(action.id);
      runs.add(action.runId);
    }
    const next = await consequences(tx, done, ended, joiners, context);
    for (const edges of joiners.values()) {
      const { heirs, blocked } = await handOver(tx, edges, ended, context);
      // The dataset may have become available meanwhile; then an heir ends its run by reusing it.
      for (const heir of heirs) runs.add(heir.runId);
      next.push(...blocked);
    }
    layer = next;
  }
  await stopRuns(
    tx,
    endings.filter((one) => one.event === 'fail' && ended.has(one.action.id)),
    context,
  );
  await stopAbandoned(tx, [...unjoined]);
  await closeRuns(tx, [...runs], context);
  if (ended.size > 0) tx.notify('run');
  return ended;
}

async function endLayer(
  tx: StoreTransaction,
  layer: readonly Ending[],
  unjoined: Set<number>,
  context: MoveContext,
): Promise<Ending[]> {
  const done: Ending[] = [];
  for (const event of ['fail', 'kill', 'skip'] as const) {
    const part = layer.filter((one) => one.event === event);
    const moved = await tx.move(
      'action',
      event,
      part.map(({ action, reason, error, fenced }) => ({
        id: action.id,
        ...(fenced ? { fence: action.fence } : {}),
        set: {
          endedAt: context.at,
          owner: null,
          reason: reason ? reasonJson(reason) : action.reason,
          error: error ? JSON.stringify(error) : action.error,
        },
        ...(error ? { detail: error } : {}),
      })),
      context,
    );
    const ids = new Set(moved.map((one) => one.id));
    done.push(...part.filter(({ action }) => ids.has(action.id)));
  }
  if (done.length === 0) return done;
  const ids = done.map(({ action }) => action.id);
  await tx.releaseEdges('action', ids);
  for (const id of await tx.releaseEdges('join', ids)) unjoined.add(id);
  return done;
}

/** What follows from actions that just ended: their waiting children, and joiners in other runs. */
async function consequences(
  tx: StoreTransaction,
  done: readonly Ending[],
  ended: ReadonlySet<number>,
  joiners: Map<number, EdgeRow[]>,
  context: MoveContext,
): Promise<Ending[]> {
  if (done.length === 0) return [];
  const produced = await producedBy(tx, done);
  await tx.move(
    'dataset',
    'abandon',
    [...produced.keys()].map((id) => ({ id, set: abandoned(context) })),
    context,
  );
  const awaited = done.flatMap(({ action }) => action.datasetId ?? []);
  const growing = done.filter(({ action }) => action.expands === 1).map(({ action }) => action.id);
  const edges = [
    ...(awaited.length > 0 ? await tx.edgesOn(awaited) : []),
    ...(growing.length > 0 ? await tx.edgesOnGrowth(growing) : []),
  ].filter((edge) => edge.state === 'WAITING' && isActionEdge(edge) && !ended.has(edge.holderId));
  const holders = new Map(
    (await tx.actions([...new Set(edges.map((edge) => edge.holderId))])).map((row) => [row.id, row]),
  );
  const endingOf = new Map(done.map((one) => [one.action.id, one]));
  const next = new Map<number, Ending>();
  const freed: EdgeRow[] = [];
  for (const edge of edges) {
    const { datasetId } = edge;
    if (edge.holder === 'join') {
      if (datasetId !== null && produced.has(datasetId))
        joiners.set(datasetId, [...(joiners.get(datasetId) ?? []), edge]);
      continue;
    }
    // Of another run: its own action for this dataset has joined, and sees to it.
    const cause = endingOf.get(edge.producerId as number);
    const holder = holders.get(edge.holderId);
    if (!cause || !holder) continue;
    if (edge.optional === 1 && cause.byCondition) freed.push(edge);
    else next.set(holder.id, follow(holder, cause));
  }
  await tx.deleteEdges(freed);
  await readyActions(tx, [...new Set(freed.map((edge) => edge.holderId))], context);
  return [...next.values()];
}

function follow(action: ActionRow, cause: Ending): Ending {
  const reason = { code: consequence[cause.event], key: cause.action.key };
  return { action, event: 'skip', reason, byCondition: cause.byCondition ?? false };
}

function isActionEdge(edge: EdgeRow): boolean {
  return edge.holder === 'action' || edge.holder === 'join';
}

function abandoned(context: MoveContext): { deletedAt: number; deletedReason: string; producerId: null } {
  return { deletedAt: context.at, deletedReason: 'it was not computed', producerId: null };
}

/** Datasets that only the ended actions were computing, with the action of each. */
async function producedBy(tx: StoreTransaction, done: readonly Ending[]): Promise<Map<number, number>> {
  const byDataset = new Map(
    done.flatMap(({ action }) => (action.datasetId === null ? [] : [[action.datasetId, action.id]])),
  );
  const rows = await tx.datasetFactsById([...byDataset.keys()] as number[]);
  const ids = new Set(done.map(({ action }) => action.id));
  const produced = new Map<number, number>();
  for (const row of rows) {
    if (row.producerId !== null && ids.has(row.producerId) && row.state.startsWith('TO_')) {
      produced.set(row.id, row.producerId);
    }
  }
  return produced;
}

/** The first of the joined actions whose run still wants it computes the dataset; the others go on waiting for it. */
async function handOver(
  tx: StoreTransaction,
  edges: readonly EdgeRow[],
  ended: ReadonlySet<number>,
  context: MoveContext,
): Promise<{ heirs: ActionRow[]; blocked: Ending[] }> {
  const heirs: ActionRow[] = [];
  const endings: Ending[] = [];
  const datasetId = edges[0]?.datasetId as number;
  const waiting = (await tx.edgesOn([datasetId])).filter((edge) => edge.holder === 'action');
  for (const heir of await tx.actions(edges.map((edge) => edge.holderId))) {
    if (heir.state !== 'WAITING' || heir.cancelRequested === 1 || ended.has(heir.id)) continue;
    const consumers = waiting.filter((edge) => edge.producerId === heir.id).map((edge) => edge.holderId);
    const { blocked, datasetOf } = await replan(
      tx,
      { runId: heir.runId, targets: [heir], consumers, why: { code: 'TAKEN_OVER' } },
      context,
    );
    heirs.push(heir);
    endings.push(...blocked.map(({ action, reason }) => ({ action, event: 'skip' as const, reason })));
    // In a realm of its own the heir computes a dataset of its own; then the next one inherits.
    if (datasetOf(heir.id) === datasetId) break;
  }
  return { heirs, blocked: endings };
}

/** With the policy `stop`, the first failure keeps everything that has not begun from beginning. */
async function stopRuns(
  tx: StoreTransaction,
  failures: readonly Ending[],
  context: MoveContext,
): Promise<void> {
  const byRun = new Map(failures.map(({ action }) => [action.runId, action.key]));
  if (byRun.size === 0) return;
  for (const run of await tx.runs([...byRun.keys()])) {
    if (run.failurePolicy !== 'stop' || run.state !== 'RUNNING') continue;
    const error = { code: 'RUN_STOPPED', message: `action ${byRun.get(run.id)} failed` };
    await tx.setRunColumns(run.id, { error: JSON.stringify(error) });
    const idle = await tx.actionsOfRun(run.id, { states: ['WAITING', 'READY'] });
    const reason: Reason = { code: 'RUN_STOPPED', key: byRun.get(run.id) };
    await endActions(
      tx,
      idle.map((action) => ({ action, event: 'skip', reason })),
      context,
    );
  }
}
