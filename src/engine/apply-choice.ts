// Carries a choice out: each dataset is given up by compare-and-set if it still is as it was and nothing claims it (I2), with the reason
// in its row and the price tag in the journal. The files are the dataset manager's to remove. A crash between two parts leaves
// datasets given up that were chosen, and the next decision looks afresh.
import { encodeIds } from '../core/id-ranges.ts';
import type { NewHistoryEvent } from '../core/ports/history.ts';
import type { Moved } from '../core/ports/store.ts';
import type { DecisionLease } from './decision-lease.ts';
import { by, type EngineContext } from './engine-context.ts';
import { type PricedDataset, tagDetail } from './price-choice.ts';

const datasetsAtOnce = 1000;

/** Gives up what can be; returns those datasets, and undefined when the lease was lost. */
export async function applyChoice(
  context: EngineContext,
  lease: DecisionLease,
  chosen: readonly PricedDataset[],
): Promise<readonly PricedDataset[] | undefined> {
  const applied: PricedDataset[] = [];
  for (let start = 0; start < chosen.length; start += datasetsAtOnce) {
    const part = chosen.slice(start, start + datasetsAtOnce);
    const moved = await lease.write(async (tx): Promise<Moved[]> => {
      const move = { ...by(context), unclaimed: true };
      const given = await tx.move('dataset', 'giveUp', part.map(giveUp), move);
      if (given.length === 0) return given;
      await tx.appendHistory([
        givenUpEvent(
          context.clock.now(),
          given.map(({ id }) => id),
        ),
      ]);
      tx.notify('doomed');
      return given;
    });
    if (!moved) return undefined;
    const ids = new Set(moved.map(({ id }) => id));
    applied.push(...part.filter(({ row }) => ids.has(row.id)));
  }
  return applied;
}

/**
 * Datasets that are being computed will not be kept beyond their consumers. Only what is still being computed is touched: the version
 * says so.
 */
export async function refuseComing(
  context: EngineContext,
  lease: DecisionLease,
  refused: readonly PricedDataset[],
): Promise<number> {
  if (refused.length === 0) return 0;
  const moved = await lease.write((tx) => tx.move('dataset', 'giveUp', refused.map(giveUp), by(context)));
  return moved?.length ?? 0;
}

/** The event that tells algorithms of deletions. */
export function givenUpEvent(at: number, datasetIds: readonly number[]): NewHistoryEvent {
  return {
    kind: 'given-up',
    at,
    runId: null,
    workflow: '',
    userName: '',
    realm: '',
    submittedAt: at,
    datasets: encodeIds(datasetIds),
    results: '',
    computed: '',
    forced: '',
    computedCount: 0,
    reusedCount: 0,
    computedMs: 0,
    savedMs: 0,
    paidMs: 0,
  };
}

function giveUp(priced: PricedDataset): {
  id: number;
  version: number;
  set: { deletedReason: string };
  detail: ReturnType<typeof tagDetail>;
} {
  const { id, version } = priced.row;
  const set = { deletedReason: `given up by ${priced.by}: ${priced.text}` };
  return { id, version, set, detail: tagDetail(priced) };
}
