// What workers elsewhere had in hand when they left or died: those jobs have no end that anybody could tell, and whoever dispatched them
// hears of it.
import type { JobOutcome } from '../core/ports/backend.ts';
import type { StoreTransaction } from '../core/ports/store.ts';
import type { WorkerRow } from '../core/rows.ts';

export async function loseRemoteJobs(
  tx: StoreTransaction,
  workers: readonly Pick<WorkerRow, 'id'>[],
  reason: string,
  at: number,
): Promise<void> {
  if (workers.length === 0) return;
  const outcome: JobOutcome = { kind: 'lost', reason };
  const ids = workers.map(({ id }) => id);
  if ((await tx.endRemoteJobsOf(ids, JSON.stringify(outcome), at)) > 0) tx.notify('job');
}
