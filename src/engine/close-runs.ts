// Ends runs whose last action has ended. The end follows from the actions alone, so it may be asked for at any time by anybody.
import { availableDatasetStates } from '../core/machines/dataset.ts';
import type { MoveContext, StoreTransaction } from '../core/ports/store.ts';
import type { EdgeRow, RunRow } from '../core/rows.ts';

/** Ends those of the runs in which nothing is live; returns their ids. */
export async function closeRuns(
  tx: StoreTransaction,
  runIds: readonly number[],
  context: MoveContext,
): Promise<number[]> {
  if (runIds.length === 0) return [];
  const done = await tx.runsWithoutLiveActions(runIds);
  for (const run of done.length > 0 ? await tx.runs(done) : []) await closeRun(tx, run, context);
  return done;
}

async function closeRun(tx: StoreTransaction, run: RunRow, context: MoveContext): Promise<void> {
  const counts = Object.fromEntries(
    (await tx.countActions(run.id)).map(({ state, count }) => [state, count]),
  );
  const event = run.state === 'CANCELLING' ? 'cancelled' : (counts.FAILED ?? 0) > 0 ? 'fail' : 'succeed';
  const set = { endedAt: context.at, summary: JSON.stringify(counts) };
  const moved = await tx.move('run', event, [{ id: run.id, version: run.version, set }], context);
  if (moved.length === 0) return;
  tx.notify('run');
  if (event === 'succeed') return;
  // A run that did not succeed keeps the results that it has and lets go of those that it never got.
  const edges = await tx.edgesOf('run', [run.id]);
  const facts = await tx.datasetFactsById(edges.flatMap((edge) => edge.datasetId ?? []));
  const states = new Map(facts.map((row) => [row.id, row.state]));
  const has = (edge: EdgeRow): boolean =>
    availableDatasetStates.some((state) => state === states.get(edge.datasetId ?? -1));
  await tx.deleteEdges(edges.filter((edge) => !has(edge)));
  await letGo(
    tx,
    facts.filter((row) => row.state === 'TO_LEAF').map((row) => row.id),
    context,
  );
}

/** What is still being made for others is a result only if another run says so. */
async function letGo(
  tx: StoreTransaction,
  datasetIds: readonly number[],
  context: MoveContext,
): Promise<void> {
  if (datasetIds.length === 0) return;
  const results = (await tx.edgesOn(datasetIds)).filter((edge) => edge.holder === 'run');
  const wanted = new Set(results.map((edge) => edge.datasetId));
  await tx.move(
    'dataset',
    'demote',
    datasetIds.filter((id) => !wanted.has(id)).map((id) => ({ id })),
    context,
  );
}
