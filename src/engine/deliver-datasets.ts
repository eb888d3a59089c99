// A dataset has become available: whoever waits for it gets it. Consumers hold it, joined actions end as REUSED, and actions with
// nothing left to wait for become READY (I6). Every change is set-based; fan-in is by set, never by a counter.
import type { MoveContext, StoreTransaction } from '../core/ports/store.ts';
import { reasonJson } from '../core/reason.ts';

/** Returns the runs in which something ended. */
export async function deliverDatasets(
  tx: StoreTransaction,
  datasetIds: readonly number[],
  context: MoveContext,
): Promise<number[]> {
  if (datasetIds.length === 0) return [];
  const edges = await tx.holdEdges(datasetIds);
  const joined = edges.filter((edge) => edge.holder === 'join');
  const runs = joined.length > 0 ? await endJoined(tx, joined, context) : [];
  const consumers = edges.filter((edge) => edge.holder === 'action').map((edge) => edge.holderId);
  await readyActions(tx, [...new Set(consumers)], context);
  return runs;
}

/** Those of the actions that wait for nothing any more become READY. */
export async function readyActions(
  tx: StoreTransaction,
  actionIds: readonly number[],
  context: MoveContext,
): Promise<void> {
  if (actionIds.length === 0) return;
  await tx.lockActions(actionIds);
  const unblocked = await tx.unblocked(actionIds);
  const moved = await tx.move(
    'action',
    'ready',
    unblocked.map((id) => ({ id, set: { readyAt: context.at } })),
    context,
  );
  if (moved.length > 0) tx.notify('ready');
}

async function endJoined(
  tx: StoreTransaction,
  joined: readonly { readonly holderId: number; readonly datasetId: number | null }[],
  context: MoveContext,
): Promise<number[]> {
  const moved = await tx.move(
    'action',
    'reuse',
    joined.map((edge) => ({
      id: edge.holderId,
      set: { datasetId: edge.datasetId, endedAt: context.at, owner: null },
    })),
    context,
  );
  await tx.releaseEdges(
    'join',
    joined.map((edge) => edge.holderId),
  );
  return [...new Set(moved.flatMap((one) => (one.runId === null ? [] : [one.runId])))];
}

/** The reason of an action that ended by the bytes of its inputs. */
export const sameBytes = reasonJson({ code: 'SAME_BYTES' });
