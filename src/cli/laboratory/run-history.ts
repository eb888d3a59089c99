// Submits a history for real, run by run, on an embedded Varve with a real budget: real processes, real files, the production loop. The
// outcome stands beside what the simulation of the same history says, and beside the ideal.
import { randomBytes, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { createLocalBackend } from '../../backends/local/local-backend.ts';
import type { Store } from '../../core/ports/store.ts';
import { GuardedDecider } from '../../decisions/guarded.ts';
import { createEngine, type Engine } from '../../engine/engine.ts';
import { submitRun } from '../../engine/submit-run.ts';
import { systemClock } from '../../engine/system-clock.ts';
import type { History } from '../../lab/history.ts';
import { openLocalStorage } from '../../storage/local/local-storage.ts';
import { openStore } from '../../store/store.ts';
import { version } from '../../version.ts';
import { laboratoryErrors } from './error-codes.ts';
import { declaringTimes, labActionType, labWorkflow } from './lab-action.ts';
import { sign32 } from './lab-identity.ts';

export interface RunHistoryOptions {
  /** Folder of the embedded Varve, or a store URL beside it. */
  readonly folder: string;
  readonly storeUrl?: string | undefined;
  readonly algorithm: string;
  readonly budgetBytes: number;
  /** Past this share of the budget, free down to that share of it; both are the whole unless given. */
  readonly highMark?: number | undefined;
  readonly lowMark?: number | undefined;
  /**
   * `between-runs` decides after each run, as the simulation does; `during-runs` is what production does: the budget holds at all
   * times.
   */
  readonly decide: 'between-runs' | 'during-runs';
  /** Real seconds per declared second. */
  readonly timeScale: number;
  readonly cores?: number | undefined;
  readonly launcher?: 'auto' | 'c' | 'sh' | undefined;
  readonly onRun?: ((done: number, total: number) => void | Promise<void>) | undefined;
  /** Called when the embedded Varve is there, before the first run. */
  readonly onOpen?: ((engine: Engine) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Told about problems that do not stop the engine. */
  readonly onProblem?: ((error: unknown, doing: string) => void) | undefined;
}

export interface RealRun {
  readonly run: number;
  /** Labels of what was computed, and of what is held outside results after the run's decision; sorted. */
  readonly computed: readonly string[];
  readonly held: readonly string[];
  readonly heldBytes: number;
}

export interface RealHistory {
  readonly runs: readonly RealRun[];
  /** Declared compute time of everything that was computed. */
  readonly totalSeconds: number;
  readonly elapsedSeconds: number;
  readonly decisions: number;
}

/** A history with sizes multiplied, times in whole milliseconds, and identities as the engine gives them. */
export function realHistory(history: History, sizeScale: number): History {
  const scaled: History = {
    ...history,
    sizeBytes: history.sizeBytes.map((bytes) => Math.max(1, Math.round(bytes * sizeScale))),
    computeSeconds: history.computeSeconds.map((seconds) => Math.round(seconds * 1000) / 1000),
  };
  return { ...scaled, identity: sign32(scaled) };
}

export async function runHistory(history: History, options: RunHistoryOptions): Promise<RealHistory> {
  const store = await openStore(options.storeUrl ?? join(options.folder, 'store.db'), {
    durability: 'normal',
  });
  const storage = openLocalStorage({ root: join(options.folder, 'datasets') });
  const during = options.decide === 'during-runs';
  const lowMark = options.lowMark ?? 1;
  const engine = createEngine({
    store,
    storage,
    actionTypes: [labActionType(options.timeScale)],
    clock: systemClock,
    owner: `lab:${process.pid}:${randomBytes(3).toString('hex')}`,
    randomText: () => randomBytes(3).toString('hex'),
    programVersion: version,
    ...(options.onProblem ? { onProblem: options.onProblem } : {}),
    decisions: {
      budget: during
        ? {
            budget: { bytes: options.budgetBytes },
            highWatermark: options.highMark ?? 1,
            lowWatermark: lowMark,
            results: 'outside',
          }
        : undefined,
      makeDecider: async () => new GuardedDecider({ algorithm: options.algorithm, folder: process.cwd() }),
    },
  });
  const seconds = new Map(history.labels.map((label, d) => [label, history.computeSeconds[d]!]));
  const started = performance.now();
  await engine.start(
    declaringTimes(
      (events) =>
        createLocalBackend({
          cacheDirectory: join(options.folder, 'cache'),
          events,
          cores: options.cores,
          launcher: options.launcher,
        }),
      (job) => Math.round((seconds.get(job.argv[6] as string) ?? 0) * 1000),
    ),
  );
  try {
    options.onOpen?.(engine);
    const runs: RealRun[] = [];
    for (let j = 0; j < history.runs.length; j += 1) {
      if (options.signal?.aborted) throw laboratoryErrors.LAB_RUN_STOPPED();
      const runId = await submitAndWait(engine, history, j);
      if (!during) await decideAfterRun(engine, options.budgetBytes, lowMark);
      else await engine.decisionManager.step();
      runs.push({ run: j, computed: await computedIn(store, runId), ...(await held(store)) });
      await options.onRun?.(j + 1, history.runs.length);
    }
    // What the last decision gave up is gone before the process is.
    await engine.datasetManager.sweep();
    const totalSeconds = runs.reduce(
      (sum, run) => sum + run.computed.reduce((part, label) => part + (seconds.get(label) ?? 0), 0),
      0,
    );
    const decisions = (await store.view.historyEvents({ kind: 'given-up', limit: 1_000_000 })).length;
    return { runs, totalSeconds, decisions, elapsedSeconds: (performance.now() - started) / 1000 };
  } finally {
    await engine.stop();
    await storage.close();
    await store.close();
  }
}

async function submitAndWait(engine: Engine, history: History, j: number): Promise<number> {
  const { context } = engine;
  const { runId } = await submitRun(context, {
    workflow: labWorkflow(history, j),
    userName: history.runs[j]!.user ?? 'lab',
    realm: 'lab',
    readable: ['lab'],
    submissionKey: randomUUID(),
  });
  let wake = Promise.withResolvers<void>();
  const unlisten = context.store.listen(() => wake.resolve());
  try {
    for (;;) {
      const [run] = await context.store.view.runs([runId]);
      if (run?.state === 'SUCCEEDED') return runId;
      if (run?.endedAt != null) throw laboratoryErrors.LAB_RUN_FAILED(j + 1, run.state);
      await Promise.race([wake.promise, context.clock.sleep(1000)]);
      wake = Promise.withResolvers<void>();
    }
  } finally {
    unlisten();
  }
}

/** As the simulation decides: over the budget, everything down to the low mark has to go. */
async function decideAfterRun(engine: Engine, budgetBytes: number, lowMark: number): Promise<void> {
  const held = await heldBytes(engine.context.store);
  if (held <= budgetBytes) return;
  await engine.decisionManager.free(held - budgetBytes * lowMark);
  await engine.datasetManager.sweep();
}

async function heldBytes(store: Store): Promise<number> {
  const totals = await store.view.datasetTotals();
  return totals.find((row) => row.state === 'STORED')?.sizeBytes ?? 0;
}

async function computedIn(store: Store, runId: number): Promise<string[]> {
  const actions = await store.view.actionsOfRun(runId, { states: ['FINISHED'] });
  return actions.map((action) => action.key).sort();
}

/** Everything that is stored and no result. */
async function held(store: Store): Promise<Pick<RealRun, 'held' | 'heldBytes'>> {
  const names: string[] = [];
  let bytes = 0;
  for (let after = 0; ; ) {
    const page = await store.view.presentDatasets({ after, limit: 1000 });
    for (const row of page) {
      if (row.state !== 'STORED') continue;
      names.push(row.name);
      bytes += row.sizeBytes ?? 0;
    }
    const last = page.at(-1);
    if (!last || page.length < 1000) return { held: names.sort(), heldBytes: bytes };
    after = last.id;
  }
}
