// The failed and killed callbacks: actions end without a dataset. Their descendants in the same run end as SKIPPED with the reason and
// never hang; an action of another run that had joined gets the computation for itself.
import type { JsonObject } from '../core/json.ts';
import type { MoveContext, StoreTransaction } from '../core/ports/store.ts';
import { type Reason, type ReasonCode, reasonJson } from '../core/reason.ts';
import type { ActionRow, EdgeRow } from '../core/rows.ts';
import { closeRuns } from './close-runs.ts';
import { readyActions } from './deliver-datasets.ts';
import { replan } from './replan.ts';

export interface Ending {
  readonly action: ActionRow;
  readonly event: 'fail' | 'kill' | 'skip';
  readonly reason?: Reason;
  readonly error?: JsonObject;
  /** Only if the caller still owns the action. */
  readonly fenced?: boolean;
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
  const runs = new Set<number>();
  let layer = endings;
  while (layer.length > 0) {
    const joiners = new Map<number, EdgeRow[]>();
    const done = await endLayer(tx, layer, context);
    for (const { action } of done) {
      ended.add(action.id);
      runs.add(action.runId);
    }
    const next = await consequences(tx, done, ended, joiners, context);
    for (const edges of joiners.values()) next.push(...(await handOver(tx, edges, ended, context)));
    layer = next;
  }
  await stopRuns(
    tx,
    endings.filter((one) => one.event === 'fail' && ended.has(one.action.id)),
    context,
  );
  await closeRuns(tx, [...runs], context);
  if (ended.size > 0) tx.notify('run');
  return ended;
}

async function endLayer(
  tx: StoreTransaction,
  layer: readonly Ending[],
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
  await tx.releaseEdges('join', ids);
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
  const growing = done.filter(({ action }) => action.expands === 1).map(({ action }) => action.id);
  const edges = [
    ...(produced.size > 0 ? await tx.edgesOn([...produced.keys()]) : []),
    ...(growing.length > 0 ? await tx.edgesOnGrowth(growing) : []),
  ].filter((edge) => edge.state === 'WAITING');
  const holders = new Map(
    (await tx.actions([...new Set(edges.filter(isActionEdge).map((edge) => edge.holderId))])).map((row) => [
      row.id,
      row,
    ]),
  );
  const endingOf = new Map(done.map((one) => [one.action.id, one]));
  const next = new Map<number, Ending>();
  const freed: EdgeRow[] = [];
  for (const edge of edges) {
    const holder = holders.get(edge.holderId);
    if (!isActionEdge(edge) || !holder || ended.has(holder.id)) continue;
    const cause = endingOf.get(
      (edge.datasetId === null ? edge.producerId : produced.get(edge.datasetId)) as number,
    );
    if (!cause) continue;
    if (edge.holder === 'join') {
      joiners.set(edge.datasetId as number, [...(joiners.get(edge.datasetId as number) ?? []), edge]);
    } else if (edge.optional === 1 && cause.event === 'skip') {
      freed.push(edge);
    } else if (holder.runId === cause.action.runId) {
      next.set(holder.id, {
        action: holder,
        event: 'skip',
        reason: { code: consequence[cause.event], key: cause.action.key },
      });
    }
  }
  await tx.deleteEdges(freed);
  await readyActions(tx, [...new Set(freed.map((edge) => edge.holderId))], context);
  return [...next.values()];
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
): Promise<Ending[]> {
  const endings: Ending[] = [];
  const actions = await tx.actions(edges.map((edge) => edge.holderId));
  for (const heir of actions) {
    if (heir.state !== 'WAITING' || heir.cancelRequested === 1 || ended.has(heir.id)) continue;
    const blocked = await replan(tx, heir.runId, [heir], { code: 'TAKEN_OVER' }, context);
    if (blocked.length === 0) return endings;
    endings.push(...blocked.map(({ action, reason }) => ({ action, event: 'skip' as const, reason })));
  }
  return endings;
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
    const idle = await tx.actionsOfRun(run.id, { states: ['WAITING', 'READY'] });
    const reason: Reason = { code: 'RUN_STOPPED', key: byRun.get(run.id) };
    await endActions(
      tx,
      idle.map((action) => ({ action, event: 'skip', reason })),
      context,
    );
  }
}
