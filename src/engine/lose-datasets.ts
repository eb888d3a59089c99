// Files of a dataset were found missing or damaged while somebody needs them: a miss, not an error. The row goes to DELETED, those who
// have not begun wait again, and in each run the action that stands for the dataset comes back to life.
import type { MoveContext, StoreTransaction } from '../core/ports/store.ts';
import type { EdgeRow } from '../core/rows.ts';
import { endActions } from './end-actions.ts';
import { replan } from './replan.ts';

export async function loseDatasets(
  tx: StoreTransaction,
  datasetIds: readonly number[],
  context: MoveContext,
): Promise<void> {
  await tx.lockPlanning();
  const set = { deletedAt: context.at, deletedReason: 'files were missing or damaged' };
  await tx.move(
    'dataset',
    'vanish',
    datasetIds.map((id) => ({ id, set })),
    context,
  );
  const edges = (await tx.unholdEdges(datasetIds)).filter((edge) => edge.holder === 'action');
  await tx.move(
    'action',
    'wait',
    [...new Set(edges.map((edge) => edge.holderId))].map((id) => ({ id, set: { owner: null } })),
    context,
  );
  const waiting = new Set(
    (await tx.actions(edges.map((edge) => edge.holderId)))
      .filter((row) => row.state === 'WAITING')
      .map((row) => row.id),
  );
  await recomputeFor(
    tx,
    edges.filter((edge) => waiting.has(edge.holderId)),
    context,
  );
}

async function recomputeFor(
  tx: StoreTransaction,
  edges: readonly EdgeRow[],
  context: MoveContext,
): Promise<void> {
  const producers = await tx.actions([...new Set(edges.flatMap((edge) => edge.producerId ?? []))]);
  const byRun = Map.groupBy(producers, (action) => action.runId);
  for (const [runId, actions] of byRun) {
    await waitForGrowth(
      tx,
      actions.filter((action) => action.expands === 1).map((action) => action.id),
      edges,
    );
    const blocked = await replan(tx, runId, actions, { code: 'VANISHED' }, context);
    await endActions(
      tx,
      blocked.map(({ action, reason }) => ({ action, event: 'skip', reason })),
      context,
    );
  }
}

/** Members of a remembered growth have no actions in this run: whoever held them waits for the growing action again. */
async function waitForGrowth(
  tx: StoreTransaction,
  growing: readonly number[],
  edges: readonly EdgeRow[],
): Promise<void> {
  if (growing.length === 0) return;
  const holders = [
    ...new Set(edges.filter((edge) => growing.includes(edge.producerId ?? -1)).map((edge) => edge.holderId)),
  ];
  const all = (await tx.edgesOf('action', holders)).filter((edge) => growing.includes(edge.producerId ?? -1));
  await tx.deleteEdges(all);
  const slots = new Map(all.map((edge) => [`${edge.holderId} ${edge.producerId} ${edge.slot}`, edge]));
  await tx.insertEdges(
    [...slots.values()].map((edge) => ({
      ...edge,
      position: '',
      datasetId: null,
      state: 'WAITING' as const,
    })),
  );
}
