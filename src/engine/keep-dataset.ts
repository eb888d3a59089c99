// A user's hand on the lifespan of datasets: pin and unpin, delete, demote.
import type { DatasetRow, EdgeRow } from '../core/rows.ts';
import { by, type EngineContext } from './engine-context.ts';
import { engineErrors } from './error-codes.ts';
import { letGo } from './leaf-quotas.ts';

/** Keeps the dataset until unpinned or until the time given; a second pin replaces the first. */
export async function pinDataset(
  context: EngineContext,
  dataset: DatasetRow,
  until: number | null,
): Promise<void> {
  await context.store.write(async (tx) => {
    const held = await tx.touchDatasets([dataset.id], context.clock.now());
    if (held.length === 0) throw engineErrors.DATASET_NOT_STORED(dataset.signature, dataset.state);
    await tx.move('dataset', 'rescue', [{ id: dataset.id }], by(context));
    const pin = pinOf(dataset, until);
    await tx.deleteEdges([pin]);
    await tx.insertEdges([pin]);
    await tx.note('dataset', dataset.id, null, 'pin', { until }, by(context));
  });
}

export async function unpinDataset(context: EngineContext, dataset: DatasetRow): Promise<void> {
  await context.store.write(async (tx) => {
    await tx.deleteEdges([pinOf(dataset, null)]);
    await tx.note('dataset', dataset.id, null, 'unpin', null, by(context));
    tx.notify('doomed');
  });
}

/** Keeps the dataset while somebody reads its files; let go of by the function returned, and by itself after a time. */
export async function holdForDownload(
  context: EngineContext,
  dataset: DatasetRow,
  longestMs: number,
): Promise<() => Promise<void>> {
  const edge: EdgeRow = {
    ...pinOf(dataset, context.clock.now() + longestMs),
    holder: 'download',
    slot: `${context.owner} ${context.randomText()}${context.randomText()}`,
  };
  await context.store.write(
    async (tx) => {
      const held = await tx.touchDatasets([dataset.id], context.clock.now());
      if (held.length === 0) throw engineErrors.DATASET_NOT_STORED(dataset.signature, dataset.state);
      await tx.insertEdges([edge]);
    },
    { durable: false },
  );
  return () => context.store.write((tx) => tx.deleteEdges([edge]), { durable: false });
}

function pinOf(dataset: DatasetRow, until: number | null): EdgeRow {
  return {
    holder: 'pin',
    holderId: dataset.id,
    slot: '',
    position: '',
    datasetId: dataset.id,
    producerId: null,
    optional: 0,
    state: 'HELD',
    expiresAt: until,
  };
}

/**
 * Gives the dataset up by hand. Results of ended runs are let go of with it; live runs and pins are not: they are named in the
 * error. The files are removed by the dataset manager.
 */
export async function deleteDataset(context: EngineContext, dataset: DatasetRow): Promise<void> {
  await context.store.write(async (tx) => {
    const edges = await tx.edgesOn([dataset.id]);
    const runs = new Map(
      (await tx.runs(edges.filter((edge) => edge.holder === 'run').map((edge) => edge.holderId))).map(
        (run) => [run.id, run],
      ),
    );
    const ended = edges.filter(
      (edge) => edge.holder === 'run' && (runs.get(edge.holderId)?.endedAt ?? null) !== null,
    );
    const holding = edges.filter((edge) => !ended.includes(edge));
    if (holding.length > 0) throw engineErrors.DATASET_CLAIMED(dataset.signature, describe(holding));
    await tx.deleteEdges(ended);
    const set = { deletedReason: `deleted by ${context.owner}` };
    await tx.move('dataset', 'demote', [{ id: dataset.id }], by(context));
    const moved = await tx.move('dataset', 'giveUp', [{ id: dataset.id, set }], {
      ...by(context),
      unclaimed: true,
    });
    const doomed = ['STORED_TO_DELETE', 'PROCESSING', 'DELETING'].includes(dataset.state);
    if (moved.length === 0 && !doomed)
      throw engineErrors.DATASET_NOT_STORED(dataset.signature, dataset.state);
    tx.notify('doomed');
  });
}

/**
 * Lets go of a result: the ended runs that hold it no longer do, and it becomes an intermediate that the budget may give up. Live
 * runs that hold it are named in the error.
 */
export async function demoteDataset(context: EngineContext, dataset: DatasetRow): Promise<void> {
  await context.store.write(async (tx) => {
    const edges = (await tx.edgesOn([dataset.id])).filter((edge) => edge.holder === 'run');
    const runs = await tx.runs([...new Set(edges.map((edge) => edge.holderId))]);
    const live = new Set(runs.filter((run) => run.endedAt === null).map((run) => run.id));
    const holding = edges.filter((edge) => live.has(edge.holderId));
    if (holding.length > 0) throw engineErrors.DATASET_CLAIMED(dataset.signature, describe(holding));
    if (dataset.state !== 'LEAF') throw engineErrors.DATASET_NO_RESULT(dataset.signature, dataset.state);
    const results = edges.map(({ holderId, slot, position }) => ({
      runId: holderId,
      slot,
      position,
      datasetId: dataset.id,
    }));
    await letGo(tx, results, 'let go of by hand', by(context));
    tx.notify('run');
  });
}

function describe(edges: readonly EdgeRow[]): string {
  const names = {
    action: 'a live action',
    join: 'a live action',
    run: 'run',
    pin: 'a pin',
    download: 'a download',
  };
  return [
    ...new Set(edges.map((edge) => (edge.holder === 'run' ? `run ${edge.holderId}` : names[edge.holder]))),
  ].join(', ');
}
