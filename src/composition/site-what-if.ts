// "What would this site have computed with another budget?" Answered in a thread from the history that the decision manager keeps, so
// that a server goes on serving. Plain data in and out; equal questions about an unchanged history are answered from memory.
import { Worker } from 'node:worker_threads';
import { moduleUrl } from '../assets.ts';
import type { DecisionHistory } from '../core/eviction/decision-history.ts';
import { resolveAlgorithm } from '../decisions/load-plugin.ts';
import { labErrors } from '../lab/error-codes.ts';
import type { History } from '../lab/history.ts';
import { siteHistory } from '../lab/site-history.ts';
import type { WhatIfAnswer, WhatIfQuestion } from '../lab/what-if.ts';
import type { WhatIfData } from '../lab/what-if-thread.ts';
import type { TaskAnswer } from '../lab/worker-pool.ts';

export interface SiteWhatIfOptions {
  /** The algorithm that decides here, unless a question names another. */
  readonly algorithm: string;
  /** Folder from which files and packages are looked up. */
  readonly folder: string;
  readonly highWatermark: number;
  readonly lowWatermark: number;
  /** After this long a question is given up; a user's algorithm may hang. */
  readonly timeMs?: number;
}

/** What of a decision manager is needed. */
export interface SiteMemory {
  remember<T>(body: (history: { readonly past: DecisionHistory }) => T): Promise<T>;
}

export interface SiteWhatIf {
  /** Replays the history of this site; undefined as long as there is none. */
  ask(question: {
    readonly budgetBytes: number;
    readonly algorithm?: string | undefined;
  }): Promise<WhatIfAnswer | undefined>;
  close(): Promise<void>;
}

/** One history in one thread with one algorithm. */
interface Rehearsal {
  readonly key: string;
  readonly worker: Worker;
  readonly answers: Map<number, WhatIfAnswer>;
}

export function createSiteWhatIf(manager: SiteMemory, options: SiteWhatIfOptions): SiteWhatIf {
  const { timeMs = 60_000 } = options;
  const lowShare = Math.min(1, options.lowWatermark / options.highWatermark);
  let known: { readonly events: number; readonly history: History } | undefined;
  let current: Rehearsal | undefined;
  let turn: Promise<unknown> = Promise.resolve();

  async function latest(): Promise<{ readonly events: number; readonly history: History }> {
    return manager.remember(({ past }) => {
      const events = past.log.count;
      if (known?.events === events) return known;
      known = { events, history: { ...siteHistory(past), labels: [] } };
      return known;
    });
  }

  async function rehearse(algorithm: string): Promise<Rehearsal | undefined> {
    const { events, history } = await latest();
    if (history.runs.length === 0) return undefined;
    const key = `${events} ${algorithm}`;
    if (current?.key === key) return current;
    await current?.worker.terminate();
    const data: WhatIfData = { history, module: resolveAlgorithm(algorithm, options.folder) };
    const worker = new Worker(moduleUrl('lab/what-if-thread'), { workerData: data, env: {} });
    worker.unref();
    current = { key, worker, answers: new Map() };
    return current;
  }

  async function close(): Promise<void> {
    const { worker } = current ?? {};
    current = undefined;
    await worker?.terminate();
  }

  async function ask(budgetBytes: number, algorithm: string): Promise<WhatIfAnswer | undefined> {
    const rehearsal = await rehearse(algorithm);
    if (!rehearsal) return undefined;
    const before = rehearsal.answers.get(budgetBytes);
    if (before) return before;
    try {
      const answer = await askThread(rehearsal.worker, { budgetBytes, lowShare }, timeMs);
      rehearsal.answers.set(budgetBytes, answer);
      return answer;
    } catch (error) {
      await close();
      throw error;
    }
  }

  return {
    ask({ budgetBytes, algorithm = options.algorithm }) {
      const answer = turn.then(() => ask(budgetBytes, algorithm));
      turn = answer.catch(() => {});
      return answer;
    },
    async close() {
      await turn;
      await close();
    },
  };
}

function askThread(worker: Worker, question: WhatIfQuestion, timeMs: number): Promise<WhatIfAnswer> {
  return new Promise((resolve, reject) => {
    const failed = (problem: string, code = 'LAB_TASK_FAILED') =>
      settle(() => reject(labErrors.LAB_TASK_FAILED(problem, code)));
    const onMessage = (answer: TaskAnswer<WhatIfAnswer>) =>
      'error' in answer
        ? failed(answer.error.message, answer.error.code)
        : settle(() => resolve(answer.result));
    const onError = (error: Error) => failed(error.message);
    const onExit = () => failed('its thread ended');
    const timer = setTimeout(() => failed(`no answer within ${timeMs} ms`), timeMs);
    const settle = (end: () => void) => {
      clearTimeout(timer);
      worker.off('message', onMessage).off('error', onError).off('exit', onExit);
      end();
    };
    worker.on('message', onMessage).on('error', onError).on('exit', onExit);
    worker.postMessage(question);
  });
}
