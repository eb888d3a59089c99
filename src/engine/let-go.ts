// A dataset is a result only as long as some run says so.
import type { MoveContext, StoreTransaction } from '../core/ports/store.ts';

/** Demotes those of the datasets that are no run's result any more. */
export async function letGo(
  tx: StoreTransaction,
  datasetIds: readonly number[],
  context: MoveContext,
): Promise<void> {
  if (datasetIds.length === 0) return;
  const results = (await tx.edgesOn(datasetIds)).filter((edge) => edge.holder === 'run');
  const wanted = new Set(results.map((edge) => edge.datasetId));
  const free = [...new Set(datasetIds)].filter((id) => !wanted.has(id));
  await tx.move(
    'dataset',
    'demote',
    free.map((id) => ({ id })),
    context,
  );
}
