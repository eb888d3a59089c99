// Asks an algorithm for a choice in a thread of its own, under a time and a memory limit: only a thread can be stopped when it
// hangs, and only with a thread do others go on while it thinks. A thread that failed is thrown away; the next request starts another and shows it the whole history.
import { Worker } from 'node:worker_threads';
import { moduleUrl } from '../assets.ts';
import { cutColumns } from '../core/eviction/dataset-table.ts';
import type { HistoryLog } from '../core/eviction/history-log.ts';
import type { JsonObject } from '../core/json.ts';
import type { Choice, DecisionFacts } from '../core/ports/decision-algorithm.ts';
import { decisionErrors } from './error-codes.ts';
import type { PluginAnswer, PluginData, PluginOrder } from './plugin-thread.ts';

export interface PluginLimits {
  readonly timeMs: number;
  readonly memoryMegabytes: number;
}

export const defaultLimits: PluginLimits = { timeMs: 10_000, memoryMegabytes: 512 };

export class PluginHost {
  readonly name: string;
  readonly #data: PluginData;
  readonly #limits: PluginLimits;
  #worker: Worker | undefined;
  #shown = 0;
  #recalled: Uint8Array | undefined;

  constructor(
    name: string,
    module: string,
    settings: JsonObject,
    limits: PluginLimits = defaultLimits,
    recalled?: Uint8Array,
  ) {
    this.name = name;
    this.#data = { module, settings };
    this.#limits = limits;
    this.#recalled = recalled;
  }

  /** The plug-in's answer as it stands, unchecked. Rejects when it throws, hangs or dies. */
  async decide(facts: DecisionFacts, log: HistoryLog): Promise<Choice> {
    const worker = (this.#worker ??= this.#start());
    const request: PluginOrder = {
      kind: 'decide',
      now: facts.now,
      bytesToFree: facts.bytesToFree,
      known: cutColumns(facts.known),
      events: log.columns(this.#shown),
      window: facts.window.slice(),
    };
    try {
      const answer = await this.#ask(worker, request);
      this.#shown = log.count;
      return answer as Choice;
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  /** What the algorithm has learnt, packed; undefined when that is no plain data. */
  async learnt(): Promise<Uint8Array | undefined> {
    if (!this.#worker) return undefined;
    const answer = await this.#ask(this.#worker, { kind: 'tell' });
    return (answer as { readonly learnt?: Uint8Array }).learnt;
  }

  /** Ends the thread; the next decision starts a new one. */
  async close(): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    this.#shown = 0;
    await worker?.terminate();
  }

  #start(): Worker {
    const learnt = this.#recalled && new Uint8Array(this.#recalled);
    this.#recalled = undefined;
    const worker = new Worker(moduleUrl('decisions/plugin-thread'), {
      workerData: { ...this.#data, learnt } satisfies PluginData,
      transferList: learnt ? [learnt.buffer] : [],
      env: {},
      resourceLimits: { maxOldGenerationSizeMb: this.#limits.memoryMegabytes },
    });
    // A thread that waits for the next decision must not keep the program alive.
    worker.unref();
    return worker;
  }

  #ask(worker: Worker, request: PluginOrder): Promise<Exclude<PluginAnswer, { error: string }>> {
    const { timeMs } = this.#limits;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => settle(() => reject(decisionErrors.DECISION_PLUGIN_TIMEOUT(this.name, timeMs))),
        timeMs,
      );
      const onMessage = (answer: PluginAnswer) =>
        settle(() =>
          'error' in answer
            ? reject(decisionErrors.DECISION_PLUGIN_FAILED(this.name, answer.error))
            : resolve(answer),
        );
      const onError = (error: Error) =>
        settle(() => reject(decisionErrors.DECISION_PLUGIN_FAILED(this.name, error.message)));
      const onExit = () =>
        settle(() => reject(decisionErrors.DECISION_PLUGIN_FAILED(this.name, 'its thread ended')));
      const settle = (end: () => void) => {
        clearTimeout(timer);
        worker.off('message', onMessage).off('error', onError).off('exit', onExit);
        worker.on('error', () => {});
        end();
      };
      worker.once('message', onMessage).once('error', onError).once('exit', onExit);
      worker.postMessage(request, request.kind === 'decide' ? buffersOf(request) : []);
    });
  }
}

/** What is given away instead of copied once more: the columns of the request are copies already. */
function buffersOf({ known, events }: Extract<PluginOrder, { kind: 'decide' }>): ArrayBuffer[] {
  return [...Object.values(known), ...Object.values(events)].flatMap((column) =>
    typeof column === 'number' ? [] : [column.buffer as ArrayBuffer],
  );
}
