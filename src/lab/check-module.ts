// Runs the contract suite on a module in a thread, so that an algorithm that hangs is found out instead of hanging the check.
import { Worker } from 'node:worker_threads';
import { moduleUrl } from '../assets.ts';
import type { Finding } from './check-algorithm.ts';

export interface CheckModuleOptions {
  readonly cases?: number | undefined;
  /** Longest time for one situation. */
  readonly limitMs?: number | undefined;
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
}

/** Messages of the thread. */
export type CheckMessage =
  | { readonly done: number; readonly total: number }
  | { readonly findings: readonly Finding[] };

/** Findings on the module's default export; `module` is a URL. */
export function checkModule(module: string, options: CheckModuleOptions = {}): Promise<readonly Finding[]> {
  const limitMs = options.limitMs ?? 10_000;
  const worker = new Worker(moduleUrl('lab/check-worker'), {
    workerData: { module, cases: options.cases },
  });
  let done = 0;
  return new Promise<readonly Finding[]>((resolve) => {
    const fail = (problem: string) => resolve([{ rule: 'answers', where: `situation ${done}`, problem }]);
    let timer = setTimeout(() => fail(`no answer within ${limitMs} ms`), limitMs);
    worker.on('message', (message: CheckMessage) => {
      if ('findings' in message) return resolve(message.findings);
      done = message.done;
      clearTimeout(timer);
      timer = setTimeout(() => fail(`no answer within ${limitMs} ms`), limitMs);
      options.onProgress?.(message.done, message.total);
    });
    worker.on('error', (error: Error) => fail(error.message));
    worker.on('exit', () => {
      clearTimeout(timer);
      fail('the thread ended');
    });
  }).finally(() => worker.terminate());
}
