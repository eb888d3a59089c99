// Files of a dataset were found missing or damaged while somebody needs them: a miss, not an error. The row goes to DELETED, those who
// have not begun wait again, and in each run the action that stands for the dataset comes back to life.
import { liveActionStates } from '../core/machines/action.ts';
import type { MoveContext, StoreTransaction } from '../core/ports/store.ts';
import type { ActionRow, DatasetRow } from '../core/rows.ts';
import { type Ending, endActions } from './end-actions.ts';
import { replan } from './replan.ts';
import { goesOnForOthers } from './stop-abandoned.ts';

/** What was looked at: a dataset that has been computed again since then is not lost. */
export type LostFiles = Pick<DatasetRow, 'id' | 'location'>;

const live: ReadonlySet<string> = new Set(liveActionStates);

/** Returns the ids of the datasets that were lost indeed. */
export async function loseDatasets(
  tx: StoreTransaction,
  lost: readonly LostFiles[],
  context: MoveContext,
): Promise<ReadonlySet<number>> {
  await tx.lockPlanning();
  const locations = new Map(lost.map(({ id, location }) => [id, location]));
  const gone = (await tx.datasetFactsById([...locations.keys()])).filter(
    (row) => row.location === locations.get(row.id),
  );
  const set = { deletedAt: context.at, deletedReason: 'files were missing or damaged' };
  const vanished = await tx.move(
    'dataset',
    'vanish',
    gone.map(({ id }) => ({ id, set })),
    context,
  );
  const edges = await tx.unholdEdges(vanished.map(({ id }) => id));
  const holders = edges.filter((edge) => edge.holder === 'action').map((edge) => edge.holderId);
  await awaitInputs(tx, [...new Set(holders)], context);
  return new Set(vanished.map(({ id }) => id));
}

/** Those of the actions that have not begun wait for the inputs that they miss, and what is missing is computed. */
export async function awaitInputs(
  tx: StoreTransaction,
  actionIds: readonly number[],
  context: MoveContext,
): Promise<void> {
  if (actionIds.length === 0) return;
  const missing = (await tx.edgesOf('action', actionIds)).filter((edge) => edge.state === 'WAITING');
  const wanting = [...new Set(missing.map((edge) => edge.holderId))];
  await tx.move(
    'action',
    'wait',
    wanting.map((id) => ({ id, set: { owner: null, leaseUntil: 0 } })),
    context,
  );
  const waiting = new Map(
    (await tx.actions(wanting)).filter((row) => row.state === 'WAITING').map((row) => [row.id, row]),
  );
  // What goes on only for others does not wait: they take over.
  const detached = [...waiting.values()].filter((action) => action.cancelRequested === goesOnForOthers);
  for (const action of detached) waiting.delete(action.id);
  await endActions(
    tx,
    detached.map((action) => ({ action, event: 'kill', reason: { code: 'CANCELLED' } })),
    context,
  );
  const open = missing.filter((edge) => waiting.has(edge.holderId));
  const producers = await tx.actions([...new Set(open.flatMap((edge) => edge.producerId ?? []))]);
  for (const [runId, actions] of Map.groupBy(producers, (action) => action.runId)) {
    const consumers = [...waiting.values()].filter((action) => action.runId === runId);
    const { blocked } = await replan(
      tx,
      {
        runId,
        targets: actions.filter((action) => !live.has(action.state)),
        consumers: consumers.map((action) => action.id),
        why: { code: 'VANISHED' },
      },
      context,
    );
    if (blocked.length > 0) await endActions(tx, await hopeless(tx, blocked, consumers), context);
  }
}

/** Those that wait for something that cannot be computed again. */
async function hopeless(
  tx: StoreTransaction,
  blocked: Awaited<ReturnType<typeof replan>>['blocked'],
  consumers: readonly ActionRow[],
): Promise<Ending[]> {
  const reasons = new Map(blocked.map(({ action, reason }) => [action.id, reason]));
  const byId = new Map(consumers.map((action) => [action.id, action]));
  const endings = new Map<number, Ending>();
  for (const edge of await tx.edgesOf('action', [...byId.keys()])) {
    const reason = reasons.get(edge.producerId ?? -1);
    const action = byId.get(edge.holderId);
    if (reason && action && edge.state === 'WAITING')
      endings.set(action.id, { action, event: 'skip', reason });
  }
  return [...endings.values()];
}
