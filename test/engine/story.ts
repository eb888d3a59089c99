// A stage for tests of the engine that read like stories: a real store, a storage in memory, managers with the real clock, and a back-end
// in which nothing happens unless the test says so. `onBothStores` tells the same story on SQLite and on PostgreSQL.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { ScriptedBackend, ScriptedWorld } from '../../src/backends/scripted.ts';
import type { BackendCapacity, BackendJob } from '../../src/core/ports/backend.ts';
import type { DatasetStorage } from '../../src/core/ports/storage.ts';
import type { Store } from '../../src/core/ports/store.ts';
import { parseReason } from '../../src/core/reason.ts';
import type { ActionRow, DatasetRow, RunRow } from '../../src/core/rows.ts';
import type { FailurePolicy, NodeDefinition } from '../../src/core/workflow.ts';
import { cancelRun } from '../../src/engine/cancel-run.ts';
import { createEngine, type Engine } from '../../src/engine/engine.ts';
import { type SubmittedRun, submitRun } from '../../src/engine/submit-run.ts';
import { systemClock } from '../../src/engine/system-clock.ts';
import { MemoryStorage } from '../../src/storage/memory.ts';
import { openStore } from '../../src/store/store.ts';
import { testDatabase } from '../postgres.ts';
import { performTask, taskLanguage, taskOf, valueText } from './task-language.ts';

export interface StoryOptions {
  readonly capacity?: Partial<BackendCapacity>;
  readonly leaseMs?: number;
  /** What the engine sees instead of the plain storage. */
  readonly storage?: (real: MemoryStorage) => DatasetStorage;
}

export interface SubmitOptions {
  readonly policy?: FailurePolicy;
  readonly realm?: string;
  readonly readable?: readonly string[];
  readonly priority?: number;
  readonly submissionKey?: string;
}

const patienceMs = 20_000;

export class Story {
  readonly store: Store;
  readonly storage = new MemoryStorage();
  readonly world = new ScriptedWorld();
  readonly problems: string[] = [];
  readonly #options: StoryOptions;
  readonly #engines: Engine[] = [];
  readonly #backends = new Map<Engine, ScriptedBackend>();
  #automatic: ((job: BackendJob) => boolean) | undefined;
  #count = 0;

  constructor(store: Store, options: StoryOptions) {
    this.store = store;
    this.#options = options;
  }

  /** The engine that submits and cancels; it takes no actions unless started by `manage`. */
  get engine(): Engine {
    return this.#engines[0] ?? this.#newEngine();
  }

  /** One more manager begins to take actions. */
  async manage(): Promise<Engine> {
    const idle = this.#engines.find((engine) => !this.#backends.has(engine)) ?? this.#newEngine();
    await idle.start((events) => {
      const started = (key: string, at: number): void => {
        events.started(key, at);
        queueMicrotask(() => this.#performAutomatically());
      };
      const { world } = this;
      const { capacity } = this.#options;
      const backend = new ScriptedBackend({ world, capacity, events: { ...events, started } });
      this.#backends.set(idle, backend);
      return backend;
    });
    return idle;
  }

  async submit(nodes: readonly NodeDefinition[], options: SubmitOptions = {}): Promise<SubmittedRun> {
    const realm = options.realm ?? 'shared';
    return submitRun(this.engine.context, {
      workflow: {
        name: 'story',
        language: 'test',
        failurePolicy: options.policy ?? 'finish-what-is-possible',
        nodes,
      },
      userName: 'somebody',
      realm,
      readable: options.readable ?? [realm],
      submissionKey: options.submissionKey ?? `submission ${++this.#count}`,
      priority: options.priority ?? 0,
    });
  }

  /** Submits and waits for the end, with every job doing its work at once. */
  async complete(nodes: readonly NodeDefinition[], options?: SubmitOptions): Promise<number> {
    this.workAlone();
    const { runId } = await this.submit(nodes, options);
    await this.ended(runId);
    return runId;
  }

  cancel(runId: number): Promise<void> {
    return cancelRun(this.engine.context, runId);
  }

  /** From now on jobs do their work as soon as they run, those for which the test says so. */
  workAlone(which: (job: BackendJob) => boolean = () => true): void {
    this.#automatic = which;
    this.#performAutomatically();
  }

  workByHand(): void {
    this.#automatic = undefined;
  }

  /** Waits until a job of the node runs; gives the attempt's key. */
  running(node: string, runId?: number): Promise<string> {
    return this.until(`${node} runs`, async () => this.#runningKeys(node, runId).then((keys) => keys[0]));
  }

  async isRunning(node: string, runId?: number): Promise<boolean> {
    return (await this.#runningKeys(node, runId)).length > 0;
  }

  /** Waits until a job of the node runs and lets it do its work, or something else. */
  async finish(
    node: string,
    how: { text?: string; exitCode?: number; runId?: number } = {},
  ): Promise<string> {
    const key = await this.running(node, how.runId);
    this.#finish(key, how);
    return key;
  }

  #finish(key: string, { text, exitCode = 0 }: { text?: string; exitCode?: number } = {}): void {
    const job = this.world.jobs.get(key)?.job as BackendJob;
    if (exitCode === 0) performTask(this.storage, job, text);
    this.world.finish(key, { kind: 'exited', exitCode });
  }

  /** How often jobs of the node were started, over all runs. */
  starts(node: string): number {
    const jobs = [...this.world.jobs.values()].filter(({ job }) => job && taskOf(job).key === node);
    return jobs.reduce((sum, { starts }) => sum + starts, 0);
  }

  async ended(runId: number): Promise<RunRow> {
    return this.until(`run ${runId} ends`, async () => {
      const [run] = await this.store.view.runs([runId]);
      return run?.endedAt == null ? undefined : run;
    });
  }

  async run(runId: number): Promise<RunRow> {
    return (await this.store.view.runs([runId]))[0] as RunRow;
  }

  async action(runId: number, key: string): Promise<ActionRow> {
    const [action] = await this.store.view.actionsByKey(runId, [key]);
    assert.ok(action, `run ${runId} has no action ${key}`);
    return action;
  }

  /** The states of all actions of a run by their keys. */
  async states(runId: number): Promise<Record<string, string>> {
    const actions = await this.store.view.actionsOfRun(runId);
    return Object.fromEntries(actions.map(({ key, state }) => [key, state]));
  }

  async reason(runId: number, key: string): Promise<string> {
    return parseReason((await this.action(runId, key)).reason).code;
  }

  async dataset(runId: number, key: string): Promise<DatasetRow> {
    const { datasetId } = await this.action(runId, key);
    assert.ok(datasetId !== null, `${key} has no dataset`);
    return (await this.store.view.datasets([datasetId]))[0] as DatasetRow;
  }

  /** What a result says. */
  async text(runId: number, key: string): Promise<string> {
    const row = await this.dataset(runId, key);
    assert.equal(this.storage.read(`${this.storage.path(row.location ?? '')}/data`), valueText(row.value));
    return valueText(row.value);
  }

  /** Somebody removes the files of a dataset by hand. */
  async removeFiles(runId: number, key: string): Promise<void> {
    await this.storage.remove((await this.dataset(runId, key)).location as string);
  }

  async until<T>(what: string, look: () => Promise<T | undefined | false>): Promise<T> {
    const deadline = Date.now() + patienceMs;
    for (let waitMs = 1; ; waitMs = Math.min(20, waitMs * 2)) {
      const found = await look();
      if (found !== undefined && found !== false) return found;
      if (Date.now() > deadline)
        throw new Error(
          `waited in vain until ${what}; ${this.problems.join('; ')}\n${await this.#standing()}`,
        );
      await sleep(waitMs);
    }
  }

  async close(): Promise<void> {
    for (const engine of this.#backends.keys()) await engine.stop();
    await this.store.close();
  }

  #newEngine(): Engine {
    const { leaseMs = 5000, storage } = this.#options;
    const n = this.#engines.length + 1;
    let attempts = 0;
    const engine = createEngine({
      store: this.store,
      storage: storage?.(this.storage) ?? this.storage,
      actionTypes: taskLanguage(this.storage),
      clock: systemClock,
      owner: `manager-${n}`,
      randomText: () => `${n}x${++attempts}`,
      programVersion: '0',
      leaseMs,
      pollMs: 25,
      identity: { host: `host-${n}`, boot: 'b', pid: n, started: '' },
      onProblem: (error, doing) => this.problems.push(`${doing}: ${String(error)}`),
    });
    this.#engines.push(engine);
    return engine;
  }

  async #runningKeys(node: string, runId: number | undefined): Promise<string[]> {
    const keys = this.world.keys('running').filter((key) => {
      const job = this.world.jobs.get(key)?.job;
      return job !== undefined && taskOf(job).key === node;
    });
    if (runId === undefined) return keys;
    const action = await this.action(runId, node);
    return keys.filter((key) => key.startsWith(`${action.id}-`));
  }

  #performAutomatically(): void {
    for (const key of this.world.keys('running')) {
      if (this.#automatic?.(this.world.jobs.get(key)?.job as BackendJob)) this.#finish(key);
    }
  }

  async #standing(): Promise<string> {
    const runs = await this.store.view.listRuns({ limit: 10 });
    const lines = await Promise.all(
      runs.map(async (run) => `run ${run.id} ${run.state} ${JSON.stringify(await this.states(run.id))}`),
    );
    return lines.join('\n');
  }
}

/** Tells the story on each database; one manager is at work from the start unless `managers` says otherwise. */
export function onBothStores(
  name: string,
  tell: (story: Story) => Promise<void>,
  options: StoryOptions & { readonly managers?: number } = {},
): void {
  for (const database of ['SQLite', 'PostgreSQL'] as const) {
    test(`${name} (${database})`, async (t) => {
      const store = await openTestStore(t, database);
      if ('skip' in store) return t.skip(store.skip);
      const story = new Story(store, options);
      try {
        for (let n = 0; n < (options.managers ?? 1); n++) await story.manage();
        await tell(story);
      } finally {
        await story.close();
      }
    });
  }
}

/** A fresh store of its own. */
export async function openTestStore(
  t: TestContext,
  database: 'SQLite' | 'PostgreSQL',
): Promise<Store | { skip: string }> {
  if (database === 'SQLite') return openStore(':memory:');
  const made = await testDatabase({ after: (action) => t.after(action) });
  return 'skip' in made ? made : openStore(made.url);
}
