// The thread behind `createSiteWhatIf`: keeps one history and one algorithm, and answers one budget after the other.
import { parentPort, workerData } from 'node:worker_threads';
import { VarveError } from '../core/errors.ts';
import type { DecisionAlgorithm } from '../core/ports/decision-algorithm.ts';
import type { History } from './history.ts';
import { WhatIf, type WhatIfQuestion } from './what-if.ts';

export interface WhatIfData {
  readonly history: History;
  /** URL of the algorithm's module. */
  readonly module: string;
}

if (parentPort) {
  const port = parentPort;
  const { history, module } = workerData as WhatIfData;
  const ready = import(module).then((loaded) => ({
    whatIf: new WhatIf(history),
    algorithm: loaded.default as DecisionAlgorithm,
  }));
  port.on('message', async (question: WhatIfQuestion) => {
    try {
      const { whatIf, algorithm } = await ready;
      port.postMessage({ result: whatIf.ask(question, algorithm) });
    } catch (error) {
      const code = error instanceof VarveError ? error.code : 'LAB_TASK_FAILED';
      port.postMessage({ error: { code, message: error instanceof Error ? error.message : String(error) } });
    }
  });
}
