// The thread behind `simulate`: loads the algorithms that a task names, once each, and answers every task.
import { parentPort } from 'node:worker_threads';
import { VarveError } from '../core/errors.ts';
import type { DecisionAlgorithm } from '../core/ports/decision-algorithm.ts';
import { labAlgorithms } from './lab-algorithms.ts';
import type { AlgorithmSource, SimulationTask } from './simulate.ts';
import { simulateHistory } from './simulate-history.ts';

const loaded = new Map<string, DecisionAlgorithm>();

async function load(source: AlgorithmSource): Promise<DecisionAlgorithm> {
  const known = labAlgorithms[source.module] ?? loaded.get(source.module);
  if (known) return known;
  const algorithm = (await import(source.module)).default as DecisionAlgorithm;
  loaded.set(source.module, algorithm);
  return algorithm;
}

parentPort?.on('message', async (task: SimulationTask) => {
  try {
    const algorithms = await Promise.all(task.algorithms.map(load));
    parentPort?.postMessage({ result: simulateHistory(task, algorithms) });
  } catch (error) {
    const code = error instanceof VarveError ? error.code : 'LAB_TASK_FAILED';
    parentPort?.postMessage({
      error: { code, message: error instanceof Error ? error.message : String(error) },
    });
  }
});
