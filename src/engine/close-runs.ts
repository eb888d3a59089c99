// Ends runs whose last action has ended. The end follows from the actions alone, so it may be asked for at any time by anybody.
import { availableDatasetStates } from '../core/machines/dataset.ts';
import type { MoveContext, StoreTransaction } from '../core/ports/store.ts';
import type { EdgeRow, RunRow } from '../core/rows.ts';
import { letGo } from './let-go.ts';

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
  const lost = edges.filter((edge) => !has(edge));
  await tx.deleteEdges(lost);
  await letGo(
    tx,
    lost.flatMap((edge) => edge.datasetId ?? []),
    context,
  );
}
