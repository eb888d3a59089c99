// Runs many independent tasks on worker threads, one task per thread at a time, results in the order of the tasks.
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { labErrors } from './error-codes.ts';

export interface PoolOptions {
  /** Threads at most; all cores by default. */
  readonly threads?: number | undefined;
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A task's answer as the worker's module posts it. */
export type TaskAnswer<R> =
  | { readonly result: R }
  | { readonly error: { readonly code: string; readonly message: string } };

/** Hands each task to a worker that runs `module`; stops everything at the first failure. */
export async function runOnThreads<T, R>(
  module: URL,
  tasks: readonly T[],
  options: PoolOptions = {},
): Promise<R[]> {
  const results: R[] = new Array(tasks.length);
  const threads = Math.min(tasks.length, options.threads ?? availableParallelism());
  let next = 0;
  let done = 0;
  const workers: Worker[] = [];
  const serve = () =>
    new Promise<void>((resolve, reject) => {
      const worker = new Worker(module);
      workers.push(worker);
      let current = -1;
      const give = () => {
        if (next >= tasks.length) return resolve();
        current = next++;
        worker.postMessage(tasks[current]);
      };
      worker.on('message', (answer: TaskAnswer<R>) => {
        if ('error' in answer)
          return reject(labErrors.LAB_TASK_FAILED(answer.error.message, answer.error.code));
        results[current] = answer.result;
        options.onProgress?.(++done, tasks.length);
        give();
      });
      worker.on('error', reject);
      worker.on('exit', () =>
        reject(labErrors.LAB_TASK_FAILED('a worker thread ended early', 'LAB_TASK_FAILED')),
      );
      options.signal?.addEventListener('abort', () => reject(labErrors.LAB_STOPPED()), { once: true });
      give();
    });
  try {
    if (options.signal?.aborted) throw labErrors.LAB_STOPPED();
    await Promise.all(Array.from({ length: threads }, serve));
  } finally {
    await Promise.all(workers.map((worker) => worker.terminate()));
  }
  return results;
}
