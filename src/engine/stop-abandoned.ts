// Cancelling counts references: an action that goes on only for those who joined it stops when the last of them is gone.
import type { StoreTransaction } from '../core/ports/store.ts';

/** Marks actions that go on for others although their own run was cancelled. */
export const goesOnForOthers = 2;

/** `datasetIds` are datasets for which somebody has just stopped waiting. */
export async function stopAbandoned(tx: StoreTransaction, datasetIds: readonly number[]): Promise<void> {
  if (datasetIds.length === 0) return;
  const facts = await tx.datasetFactsById(datasetIds);
  const producers = await tx.actions(facts.flatMap((fact) => fact.producerId ?? []));
  const detached = producers.filter((action) => action.cancelRequested === goesOnForOthers);
  if (detached.length === 0) return;
  const edges = await tx.edgesOn(detached.flatMap((action) => action.datasetId ?? []));
  const wanted = new Set(
    edges.filter(({ holder }) => holder === 'action' || holder === 'join').map((edge) => edge.datasetId),
  );
  const alone = detached.filter((action) => !wanted.has(action.datasetId));
  await tx.requestCancel(alone.map((action) => action.id));
  if (alone.length > 0) tx.notify('cancel');
}
