// The thread behind `checkModule`.
import { parentPort, workerData } from 'node:worker_threads';
import type { DecisionAlgorithm } from '../core/ports/decision-algorithm.ts';
import { checkAlgorithm, type Finding } from './check-algorithm.ts';

const { module, cases } = workerData as { readonly module: string; readonly cases: number | undefined };

async function check(): Promise<readonly Finding[]> {
  let algorithm: DecisionAlgorithm;
  try {
    algorithm = (await import(module)).default;
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    return [{ rule: 'shape', where: 'the module', problem: `it cannot be loaded: ${problem}` }];
  }
  const onProgress = (done: number, total: number) => parentPort?.postMessage({ done, total });
  return checkAlgorithm(algorithm, { cases, onProgress });
}

parentPort?.postMessage({ findings: await check() });
