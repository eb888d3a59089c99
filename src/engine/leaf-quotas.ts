// Per-user quotas on results: when the results of a user's ended runs take more than the quota, the oldest are let go of. A dataset that
// no run holds as a result any more is an intermediate like others, for the budget to decide about.
import { type KeepRule, leafQuota } from '../core/eviction/keep-rules.ts';
import type { HeldResult } from '../core/ports/history.ts';
import type { MoveContext, StoreTransaction } from '../core/ports/store.ts';
import { formatBytes } from '../core/units.ts';
import { by, type EngineContext } from './engine-context.ts';

/** Returns the number of results that were let go of. */
export async function holdQuotas(context: EngineContext, rules: readonly KeepRule[]): Promise<number> {
  const { view } = context.store;
  let released = 0;
  for (const userName of await view.resultHolders()) {
    const quota = leafQuota(rules, userName);
    if (quota === undefined) continue;
    const excess = beyondQuota(await view.heldResults(userName), quota);
    if (excess.length === 0) continue;
    const reason = `results of ${userName} take more than ${formatBytes(quota)}`;
    await context.store.write((tx) => letGo(tx, excess, reason, by(context)));
    released += excess.length;
  }
  return released;
}

/** Results that do not fit when the newest runs come first; a dataset that several runs hold counts once, for the newest. */
export function beyondQuota(results: readonly HeldResult[], quotaBytes: number): HeldResult[] {
  const kept = new Map<number, boolean>();
  let taken = 0;
  return results.filter(({ datasetId, sizeBytes }) => {
    const known = kept.get(datasetId);
    if (known !== undefined) return !known;
    const fits = taken + sizeBytes <= quotaBytes;
    if (fits) taken += sizeBytes;
    kept.set(datasetId, fits);
    return !fits;
  });
}

/** Ends the runs' claims; what no run holds as a result any more becomes an intermediate. */
export async function letGo(
  tx: StoreTransaction,
  results: readonly Pick<HeldResult, 'runId' | 'slot' | 'position' | 'datasetId'>[],
  reason: string,
  context: MoveContext,
): Promise<void> {
  await tx.deleteEdges(
    results.map(({ runId, slot, position }) => ({ holder: 'run', holderId: runId, slot, position })),
  );
  const ids = [...new Set(results.map(({ datasetId }) => datasetId))];
  const held = new Set(
    (await tx.edgesOn(ids)).filter((edge) => edge.holder === 'run').map((edge) => edge.datasetId),
  );
  const free = ids.filter((id) => !held.has(id));
  await tx.move(
    'dataset',
    'demote',
    free.map((id) => ({ id, detail: { reason } })),
    context,
  );
}
