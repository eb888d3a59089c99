// Cut-off: an action is about to run, but a dataset made by the same action from the same bytes is stored. The action ends as REUSED and
// that dataset stands for its own from then on.
import type { MoveContext, StoreTransaction } from '../core/ports/store.ts';
import type { ActionRow } from '../core/rows.ts';
import { closeRuns } from './close-runs.ts';
import { deliverDatasets, sameBytes } from './deliver-datasets.ts';

export interface ContentHit {
  readonly action: ActionRow;
  readonly datasetId: number;
}

/** Returns the ids of the actions that ended this way; the others go on to compute. */
export async function reuseByContent(
  tx: StoreTransaction,
  hits: readonly ContentHit[],
  context: MoveContext,
): Promise<Set<number>> {
  const wanted = [...new Set(hits.map((hit) => hit.datasetId))];
  const held = new Set((await tx.touchDatasets(wanted, context.at)).map(({ id }) => id));
  const usable = hits.filter((hit) => held.has(hit.datasetId) && hit.action.datasetId !== hit.datasetId);
  const moved = await tx.move(
    'action',
    'reuse',
    usable.map(({ action, datasetId }) => ({
      id: action.id,
      fence: action.fence,
      set: { datasetId, reason: sameBytes, endedAt: context.at, owner: null },
    })),
    context,
  );
  const ended = new Set(moved.map((one) => one.id));
  const runs = new Set<number>();
  for (const { action, datasetId } of usable.filter((hit) => ended.has(hit.action.id))) {
    runs.add(action.runId);
    const own = action.datasetId as number;
    const set = { sameAs: datasetId, deletedAt: context.at, deletedReason: 'an equal dataset stands for it' };
    // First its row, then its edges: whoever joins meanwhile is seen.
    await tx.move('dataset', 'abandon', [{ id: own, set }], context);
    const isResult = (await tx.edgesOn([own])).some((edge) => edge.holder === 'run');
    await tx.repointEdges(own, datasetId);
    await tx.move('dataset', isResult ? 'promote' : 'rescue', [{ id: datasetId }], context);
  }
  await tx.releaseEdges('action', [...ended]);
  const delivered = await deliverDatasets(tx, [...new Set(usable.map((hit) => hit.datasetId))], context);
  await closeRuns(tx, [...new Set([...runs, ...delivered])], context);
  if (ended.size > 0) tx.notify('run');
  return ended;
}
