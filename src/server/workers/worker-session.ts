// Which worker speaks: its number and the secret that it got when it registered. A worker that was declared lost is told so, whatever it
// reports: its jobs are somebody else's by then.
import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { WorkerCapacity } from '../../backends/remote/worker-census.ts';
import type { RemoteJobRow } from '../../core/ports/remote-jobs.ts';
import type { StoreView } from '../../core/ports/store.ts';
import type { WorkerRow } from '../../core/rows.ts';
import { serverErrors } from '../error-codes.ts';

export function newSession(): { readonly session: string; readonly sha256: string } {
  const session = randomBytes(24).toString('base64url');
  return { session, sha256: hash('sha256', session, 'hex') };
}

/** The worker, if it is alive and the secret is its own. */
export async function speakingWorker(
  view: StoreView,
  id: number,
  session: string | undefined,
): Promise<WorkerRow> {
  const [row] = await view.workers({ ids: [id] });
  const given = Buffer.from(hash('sha256', session ?? '', 'hex'));
  if (!row?.session || !timingSafeEqual(Buffer.from(row.session), given))
    throw serverErrors.WORKER_UNKNOWN(String(id));
  if (row.state === 'LOST' || row.state === 'GONE') throw serverErrors.WORKER_GONE(row.name);
  return row;
}

/** A job that this worker has taken and not ended. */
export async function jobOfWorker(view: StoreView, worker: WorkerRow, key: string): Promise<RemoteJobRow> {
  const [row] = await view.remoteJobs([key]);
  if (!row || row.workerId !== worker.id || row.state !== 'TAKEN')
    throw serverErrors.JOB_NOT_YOURS(key, worker.name);
  return row;
}

export function capacityOf(row: WorkerRow): WorkerCapacity {
  return JSON.parse(row.capacity ?? '{}') as WorkerCapacity;
}
