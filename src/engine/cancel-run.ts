// Cancels a run. An action that another run has joined goes on for that run; what has not begun ends at once; what runs is asked to
// stop and ends when its back-end says so.
import { liveActionStates, ownedActionStates } from '../core/machines/action.ts';
import type { StoreTransaction } from '../core/ports/store.ts';
import type { ActionRow } from '../core/rows.ts';
import { closeRuns } from './close-runs.ts';
import { endActions } from './end-actions.ts';
import { by, type EngineContext } from './engine-context.ts';
import { engineErrors } from './error-codes.ts';
import { goesOnForOthers } from './stop-abandoned.ts';

export async function cancelRun(context: EngineContext, runId: number): Promise<void> {
  const cancel = async (tx: StoreTransaction): Promise<void> => {
    await tx.lockPlanning();
    const [run] = await tx.runs([runId]);
    if (!run) throw engineErrors.RUN_NOT_FOUND(runId);
    if (run.state === 'CANCELLING') return;
    if (run.state !== 'RUNNING') throw engineErrors.RUN_ENDED(runId, run.state);
    await tx.move('run', 'cancel', [{ id: runId }], by(context));
    const live = (await tx.actionsOfRun(runId, { states: liveActionStates })).map(({ id }) => id);
    // Nobody takes or gives back an action between the look at its state and what follows from it.
    await tx.lockActions(live);
    const actions = await tx.actions(live);
    const idle = actions.filter(({ state }) => state === 'WAITING' || state === 'READY');
    const begun = actions.filter(({ state }) => ownedActionStates.some((owned) => owned === state));
    await endActions(
      tx,
      idle.map((action) => ({ action, event: 'kill', reason: { code: 'CANCELLED' } })),
      by(context),
    );
    await stopRunning(tx, begun);
    await closeRuns(tx, [runId], by(context));
    tx.notify('cancel');
    tx.notify('run');
  };
  await context.store.write(cancel, { planning: true });
}

async function stopRunning(tx: StoreTransaction, running: readonly ActionRow[]): Promise<void> {
  const edges = await tx.edgesOn(running.flatMap((action) => action.datasetId ?? []));
  const joined = new Set(edges.filter((edge) => edge.holder === 'join').map((edge) => edge.datasetId));
  for (const action of running) {
    if (joined.has(action.datasetId))
      await tx.setActionColumns(action.id, { cancelRequested: goesOnForOthers });
  }
  await tx.requestCancel(
    running.filter((action) => !joined.has(action.datasetId)).map((action) => action.id),
  );
}
