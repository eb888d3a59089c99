// What operators tell processes: pause, resume, drain, exit. The order is a state of the process's row; the process obeys when it hears of it.
import type { WorkerRow } from '../core/rows.ts';
import { by, type EngineContext } from './engine-context.ts';
import { engineErrors } from './error-codes.ts';

export type WorkerOrder = 'pause' | 'resume' | 'drain' | 'exit';

/** `name` is a number, a name, or a unique beginning of one. Returns the process as it is told to be. */
export async function orderWorker(
  context: EngineContext,
  name: string,
  order: WorkerOrder,
): Promise<WorkerRow> {
  const { store } = context;
  return store.write(async (tx) => {
    const row = findWorker(await tx.workers({ live: true }), name);
    const event = order === 'exit' ? 'drain' : order;
    await tx.move('worker', event, [{ id: row.id }], by(context));
    await tx.setWorkerColumns(row.id, { leaveNow: order === 'exit' ? 1 : 0 });
    tx.notify('worker');
    return (await tx.workers({ ids: [row.id] }))[0] as WorkerRow;
  });
}

function findWorker(rows: readonly WorkerRow[], name: string): WorkerRow {
  const exact = rows.find((row) => row.name === name || String(row.id) === name);
  if (exact) return exact;
  const fitting = rows.filter((row) => row.name.startsWith(name));
  if (fitting.length === 1) return fitting[0] as WorkerRow;
  throw fitting.length === 0
    ? engineErrors.WORKER_NOT_FOUND(name)
    : engineErrors.WORKER_AMBIGUOUS(name, fitting.map((row) => row.name).join(', '));
}
