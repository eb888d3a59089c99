// The composition root of one process: a configuration becomes a store, a storage, an engine and the languages, and users get one object
// to submit workflows with, to work, and to wait. Nothing else knows which implementations are behind the ports.
import { randomUUID } from 'node:crypto';
import { hostname, userInfo } from 'node:os';
import { join } from 'node:path';
import { createLocalBackend } from './backends/local/local-backend.ts';
import { createSandbox, type Sandbox } from './backends/local/sandbox.ts';
import { createRemoteBackend, type RemoteBackend } from './backends/remote/remote-backend.ts';
import { type CwlLanguage, createCwlLanguage } from './composition/cwl-language.ts';
import { createDecisionMemory } from './composition/decision-memory.ts';
import { engineEnvironment } from './composition/engine-environment.ts';
import { containerEngines, removeContainer } from './composition/find-container-engine.ts';
import { downloads, guardedDigests, type InputGuard, rememberedDigests } from './composition/input-files.ts';
import { placeJobs } from './composition/place-jobs.ts';
import type { Config } from './config/config-keys.ts';
import { type Environment, readEnvironment } from './config/environment.ts';
import { loadConfig } from './config/load-config.ts';
import type { Json } from './core/json.ts';
import type { Backend, BackendEvents } from './core/ports/backend.ts';
import type { Store } from './core/ports/store.ts';
import type { RunRow } from './core/rows.ts';
import { tagsText } from './core/tags.ts';
import type { WorkflowDefinition } from './core/workflow.ts';
import { cancelRun } from './engine/cancel-run.ts';
import { createEngine, type DecisionOptions, type Engine, type StartOptions } from './engine/engine.ts';
import { engineErrors } from './engine/error-codes.ts';
import { planRun, type RunPlan, type Submission, type SubmittedRun, submitRun } from './engine/submit-run.ts';
import { systemClock } from './engine/system-clock.ts';
import { varveActionTypes } from './languages/varve/action-types.ts';
import { loadVarveWorkflow, type VarveWorkflowSource } from './languages/varve/load-workflow.ts';
import { type LocalStorage, openLocalStorage } from './storage/local/local-storage.ts';
import { openStore } from './store/store.ts';
import type { Tracer } from './tracing/tracer.ts';
import { version } from './version.ts';

/** For whom a server acts: what they submit belongs to `realm`, and may reuse what is in `readable` (I9). */
export interface Submitter {
  readonly userName: string;
  readonly realm: string;
  readonly readable: readonly string[];
}

export interface SubmitOptions {
  /** The user of this process in the shared realm unless given. */
  readonly as?: Submitter | undefined;
  /** A repeated submission with the same key gives the same run. */
  readonly submissionKey?: string | undefined;
  readonly priority?: number | undefined;
  readonly source?: string | undefined;
  readonly parameters?: Readonly<Record<string, Json>> | undefined;
}

export interface LoadWorkflowOptions {
  readonly parameters?: Readonly<Record<string, Json>>;
  readonly parametersFolder?: string;
  /** Names beside the document, which commands may mean; read from the disk unless given. */
  readonly neighbours?: ReadonlySet<string> | undefined;
  /** What the document may name outside itself; everything without it. */
  readonly guard?: InputGuard | undefined;
}

/** A process's view of one home: submits, works, waits. */
export interface Varve {
  readonly config: Config;
  readonly store: Store;
  readonly storage: LocalStorage;
  readonly engine: Engine;
  /** Present where the configuration names a collector of traces. */
  readonly tracer: Tracer | undefined;
  /** How datasets are given up here. */
  readonly decisions: DecisionOptions;
  /** How long what one process holds stays its own without a sign of life. */
  readonly leaseMs: number;
  readonly userName: string;
  /** Documents of the Common Workflow Language: to workflows, and the outputs of their runs. */
  readonly cwl: CwlLanguage;
  /** Reads and checks a document of Varve's own language. */
  load(source: VarveWorkflowSource, options?: LoadWorkflowOptions): Promise<WorkflowDefinition>;
  /** What a submission would do now, with reasons; changes nothing. */
  plan(workflow: WorkflowDefinition, options?: Pick<SubmitOptions, 'as'>): Promise<RunPlan>;
  submit(workflow: WorkflowDefinition, options?: SubmitOptions): Promise<SubmittedRun>;
  cancel(runId: number): Promise<void>;
  /** Begins to work in this process: to take and run actions, and to look after datasets. */
  work(options?: WorkOptions): Promise<void>;
  /** Resolves when the run has ended; `onChange` is called whenever something of it may have changed. */
  wait(runId: number, options?: WaitOptions): Promise<RunRow>;
  close(): Promise<void>;
}

export interface WorkOptions extends Omit<StartOptions, 'takesActions' | 'tags' | 'capacity'> {
  /** Actions are given to workers that are connected to servers of this store, too. */
  readonly dispatches?: boolean | undefined;
}

export interface WaitOptions {
  readonly signal?: AbortSignal;
  readonly onChange?: () => void;
}

export interface OpenOptions {
  readonly config: Config;
  /** Told about problems that do not stop the process. */
  readonly onProblem?: (error: unknown, doing: string) => void;
}

/** Everybody on a laptop shares one realm; a server gives projects realms of their own. */
export const sharedRealm = 'shared';

const pollMs = 1000;

/** Opens a home by its folder, with the configuration that is there; the default home without one. */
export async function open(home?: string): Promise<Varve> {
  const { config } = await loadConfig(readEnvironment(), home === undefined ? {} : { home });
  return openVarve({ config });
}

/** Opens the home of a configuration; the store is created or brought up to date. */
export async function openVarve({ config, onProblem = () => {} }: OpenOptions): Promise<Varve> {
  const userName = userInfo().username;
  const owner = `${hostname()}:${process.pid}:${randomText()}`;
  const tracer = await tracerOf(config, owner, onProblem);
  const opened = await openStore(config.store.url, {
    durability: config.store.durability,
    poolSize: config.store.poolSize,
    waitMs: config.store.waitSeconds * 1000,
  });
  const store = tracer?.watch(opened) ?? opened;
  const storage = openLocalStorage({ root: config.storage.root, durability: config.storage.durability });
  const decisions = decisionOptions(config);
  const leaseMs = config.execution.leaseSeconds * 1000;
  const environment = readEnvironment();
  const cwl = createCwlLanguage({ config, environment, store, storage });
  const varveTypes = varveActionTypes({
    containerEngine: containerEngines(config.execution.container),
    engineEnvironment: engineEnvironment(environment),
    removeContainer: (engine, name) => removeContainer(engine, name, engineEnvironment(environment)),
  });
  const engine = createEngine({
    store,
    storage,
    actionTypes: [...varveTypes, ...cwl.actionTypes],
    clock: systemClock,
    owner,
    randomText,
    programVersion: version,
    leaseMs,
    onProblem,
    decisions,
  });
  const digests = rememberedDigests(store);
  let working = false;

  const submission = (workflow: WorkflowDefinition, options: SubmitOptions = {}): Submission => ({
    workflow,
    ...(options.as ?? { userName, realm: sharedRealm, readable: [sharedRealm] }),
    submissionKey: options.submissionKey ?? randomUUID(),
    priority: options.priority ?? 0,
    source: options.source,
    parameters: options.parameters ? JSON.stringify(options.parameters) : undefined,
  });

  return {
    config,
    store,
    storage,
    engine,
    tracer,
    decisions,
    leaseMs,
    userName,
    cwl,
    load: (source, { guard, ...options } = {}) =>
      loadVarveWorkflow(source, {
        ...options,
        digestFiles: guardedDigests(digests, guard),
        fetchUrls: downloads(join(config.storage.root, 'urls'), guard),
        // A tool reads what its document names: not for those who may not read everything here.
        findTool: guard === undefined ? cwl.findTool : undefined,
      }),
    plan: (workflow, options) => planRun(engine.context, submission(workflow, options)),
    submit: (workflow, options) => submitRun(engine.context, submission(workflow, options)),
    cancel: (runId) => cancelRun(engine.context, runId),
    async work({ dispatches = false, ...options } = {}) {
      if (working) return;
      const { cores, memory, launcher, tags } = config.execution;
      const here = options.roles?.includes('worker') ?? true;
      const sandbox = here ? sandboxOf(config, environment, onProblem) : undefined;
      await sandbox?.ready();
      working = true;
      const makeLocal = (events: BackendEvents): Backend =>
        createLocalBackend({
          cacheDirectory: join(config.home, 'cache'),
          events,
          cores,
          memoryBytes: memory && 'bytes' in memory ? memory.bytes : undefined,
          launcher,
          sandbox,
          warn: (message) => onProblem(new Error(message), 'start the launcher'),
        });
      const makeRemote = (events: BackendEvents): RemoteBackend =>
        createRemoteBackend({ store, owner: engine.context.owner, events, onProblem });
      await engine.start(
        (events) =>
          placeJobs({
            view: store.view,
            makeLocal,
            makeRemote,
            events,
            here,
            tags,
            elsewhere: dispatches,
          }),
        { ...options, takesActions: here || dispatches, tags: here ? tagsText(tags) : '' },
      );
    },
    wait: (runId, options = {}) => waitForRun(store, runId, options),
    async close() {
      if (working) await engine.stop();
      else await engine.decisionManager.stop();
      await tracer?.close();
      await storage.close();
      await store.close();
    },
  };
}

/** Loaded only where there is a collector. */
async function tracerOf(
  { tracing }: Config,
  instance: string,
  onProblem: NonNullable<OpenOptions['onProblem']>,
): Promise<Tracer | undefined> {
  const { endpoint, headers, share } = tracing;
  if (endpoint === undefined) return undefined;
  const { createTracer } = await import('./tracing/tracer.ts');
  return createTracer({ endpoint, headers, share, instance, onProblem });
}

/** Confines actions as configured; none when they are not to be. */
function sandboxOf(
  { home, storage, execution }: Config,
  { variables }: Environment,
  onProblem: NonNullable<OpenOptions['onProblem']>,
): Sandbox | undefined {
  if (execution.sandbox === 'off') return undefined;
  return createSandbox({
    mode: execution.sandbox,
    hidden: [home, storage.root],
    path: variables.PATH ?? '/usr/bin:/bin',
    warn: (message) => onProblem(new Error(message), 'confine actions'),
  });
}

/** Space and decisions as configured; algorithms are loaded when the first decision is due. */
function decisionOptions({ home, storage, decisions, history }: Config): DecisionOptions {
  const { budget, highWatermark, lowWatermark, results } = storage;
  return {
    budget: budget && { budget, highWatermark, lowWatermark, results },
    retentionMs: history.retention,
    memory: createDecisionMemory(join(home, 'cache', 'decisions')),
    async makeDecider() {
      const { GuardedDecider } = await import('./decisions/guarded.ts');
      return new GuardedDecider({
        algorithm: decisions.algorithm,
        fallback: decisions.fallback,
        folder: home,
        limits: { timeMs: decisions.timeLimit, memoryMegabytes: 512 },
      });
    },
  };
}

async function waitForRun(store: Store, runId: number, { signal, onChange }: WaitOptions): Promise<RunRow> {
  let wake = Promise.withResolvers<void>();
  const unlisten = store.listen((topic) => {
    if (topic === 'run' || topic === '*') wake.resolve();
  });
  try {
    for (;;) {
      if (!(await store.view.isLive(runId))) {
        const [run] = await store.view.runs([runId]);
        if (!run) throw engineErrors.RUN_NOT_FOUND(runId);
        return run;
      }
      signal?.throwIfAborted();
      onChange?.();
      await Promise.race([wake.promise, systemClock.sleep(pollMs, signal)]);
      wake = Promise.withResolvers<void>();
    }
  } finally {
    unlisten();
  }
}

/** Tells apart what has the same name otherwise. Random bytes for many of these are drawn at a time. */
function randomText(): string {
  return randomUUID().slice(0, 6);
}
