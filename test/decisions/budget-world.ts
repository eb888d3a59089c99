// A small world for stories about the budget: a real store, real files, an engine, and a back-end that ends every job at once with the time
// that its action declares, unless the story holds it.
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createDecisionMemory } from '../../src/composition/decision-memory.ts';
import type { ActionType } from '../../src/core/ports/action-type.ts';
import type { Backend, BackendEvents, BackendJob } from '../../src/core/ports/backend.ts';
import type { Decider } from '../../src/core/ports/decider.ts';
import type { Store } from '../../src/core/ports/store.ts';
import type { DatasetRow, RunRow } from '../../src/core/rows.ts';
import { defaultPolicy, type Keep, type NodeDefinition } from '../../src/core/workflow.ts';
import { GuardedDecider } from '../../src/decisions/guarded.ts';
import { createEngine, type Engine } from '../../src/engine/engine.ts';
import type { BudgetOptions } from '../../src/engine/measure-space.ts';
import { submitRun } from '../../src/engine/submit-run.ts';
import { systemClock } from '../../src/engine/system-clock.ts';
import { openLocalStorage } from '../../src/storage/local/local-storage.ts';
import { openStore } from '../../src/store/store.ts';
import { type TestScope, testDatabase } from '../postgres.ts';

export interface Step {
  readonly bytes: number;
  readonly seconds?: number;
  readonly parents?: readonly string[];
  readonly result?: boolean;
  readonly keep?: Keep;
  readonly forced?: boolean;
  /** Makes the dataset another one. */
  readonly edition?: number;
  readonly name?: string;
}

export interface WorldOptions {
  readonly budget?: BudgetOptions | undefined;
  readonly decider?: Decider;
  readonly algorithm?: string;
  readonly url?: string;
  readonly folder?: string;
  readonly retentionMs?: number;
  readonly userName?: string;
  /** Jobs of these actions wait until the story lets them end. */
  readonly holds?: ReadonlySet<string>;
  readonly cores?: number;
  /** What is made of the history is kept in `memory` in the folder after every event. */
  readonly remembers?: boolean;
}

export interface World {
  readonly engine: Engine;
  readonly store: Store;
  readonly url: string;
  readonly folder: string;
  readonly problems: unknown[];
  readonly held: Map<string, () => void>;
  submit(steps: Readonly<Record<string, Step>>, options?: { user?: string; name?: string }): Promise<number>;
  ended(runId: number): Promise<RunRow>;
  /** Submits and waits; the run must succeed. */
  run(steps: Readonly<Record<string, Step>>, options?: { user?: string; name?: string }): Promise<number>;
  dataset(key: string): Promise<DatasetRow>;
  states(...keys: string[]): Promise<string[]>;
  usedBytes(): Promise<number>;
  close(): Promise<void>;
}

const make: ActionType = {
  name: 'make',
  async prepare({ node, space, key }) {
    return {
      key,
      directory: space.directory,
      argv: [node.key],
      env: { SECONDS: String(node.spec.seconds) },
      cwd: space.work,
      stdout: join(space.logs, 'out'),
      stderr: join(space.logs, 'err'),
      resources: node.policy.resources,
      priority: 0,
    };
  },
  async collect({ node, space }) {
    const text = `${node.identity.key} ${node.identity.edition} `;
    await writeFile(
      join(space.out, 'data'),
      text.repeat(Math.ceil(Number(node.spec.bytes) / text.length)).slice(0, Number(node.spec.bytes)),
    );
    return { value: null };
  },
};

class InstantBackend implements Backend {
  readonly name = 'instant';
  readonly #events: BackendEvents;
  readonly #holds: ReadonlySet<string>;
  readonly #held: Map<string, () => void>;
  readonly #cores: number;

  constructor(
    events: BackendEvents,
    holds: ReadonlySet<string>,
    held: Map<string, () => void>,
    cores: number,
  ) {
    this.#events = events;
    this.#holds = holds;
    this.#held = held;
    this.#cores = cores;
  }

  capacity() {
    return { cores: this.#cores, memoryBytes: 1e12, queueAhead: 0 };
  }

  async submit(job: BackendJob): Promise<string> {
    const end = (): void => {
      const startedAt = Date.now();
      const endedAt = startedAt + Number(job.env.SECONDS) * 1000;
      this.#events.ended(job.key, { kind: 'exited', exitCode: 0, startedAt, endedAt });
    };
    if (this.#holds.has(job.argv[0]!)) this.#held.set(job.argv[0]!, end);
    else setImmediate(end);
    return '';
  }

  async recover() {
    return { kind: 'lost', reason: 'nothing outlives a story' } as const;
  }

  async cancel() {}
  async close() {}
}

export async function openWorld(t: TestScope, options: WorldOptions = {}): Promise<World> {
  const folder = options.folder ?? (await mkdtemp(join(tmpdir(), 'varve-budget-')));
  const url = options.url ?? join(folder, 'store.db');
  const store = await openStore(url, { durability: 'normal' });
  const storage = openLocalStorage({ root: join(folder, 'datasets') });
  const problems: unknown[] = [];
  const held = new Map<string, () => void>();
  const engine = createEngine({
    store,
    storage,
    actionTypes: [make],
    clock: systemClock,
    owner: `story-${randomBytes(4).toString('hex')}`,
    randomText: () => randomBytes(3).toString('hex'),
    programVersion: 'test',
    onProblem: (error) => problems.push(error),
    decisions: {
      budget: options.budget,
      retentionMs: options.retentionMs,
      memory: options.remembers ? createDecisionMemory(join(folder, 'memory')) : undefined,
      memoryEvents: 1,
      makeDecider: async () =>
        options.decider ?? new GuardedDecider({ algorithm: options.algorithm ?? 'hamr', folder }),
    },
  });
  await engine.start(
    (events) => new InstantBackend(events, options.holds ?? new Set(), held, options.cores ?? 2),
  );
  let open = true;
  const close = async (): Promise<void> => {
    if (!open) return;
    open = false;
    await engine.stop();
    await storage.close();
    await store.close();
  };
  t.after(async () => {
    await close();
    await rm(folder, { recursive: true, force: true });
  });

  const submit: World['submit'] = async (steps, given = {}) => {
    const nodes = Object.entries(steps).map(
      ([key, step]): NodeDefinition => ({
        key,
        name: step.name ?? key,
        type: 'make',
        expands: false,
        parents: (step.parents ?? []).map((parent) => ({ slot: parent, key: parent })),
        identity: { key, edition: step.edition ?? 0 },
        spec: { bytes: step.bytes, seconds: step.seconds ?? 1 },
        policy: { ...defaultPolicy, keep: step.keep ?? 'auto', forced: step.forced ?? false },
        result: step.result ?? false,
      }),
    );
    const { runId } = await submitRun(engine.context, {
      workflow: { name: given.name ?? 'story', language: 'test', failurePolicy: 'stop', nodes },
      userName: given.user ?? 'ann',
      realm: 'shared',
      readable: ['shared'],
      submissionKey: randomUUID(),
    });
    return runId;
  };
  const ended: World['ended'] = async (runId) => {
    for (;;) {
      const [run] = await store.view.runs([runId]);
      if (run?.endedAt != null) return run;
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  };
  const dataset = async (key: string): Promise<DatasetRow> => {
    const [row] = await store.view.listDatasets({ name: key, limit: 1 });
    if (!row) throw new Error(`no dataset ${key}`);
    return row;
  };
  return {
    engine,
    store,
    url,
    folder,
    problems,
    held,
    submit,
    ended,
    async run(steps, given) {
      const runId = await submit(steps, given);
      const run = await ended(runId);
      if (run.state !== 'SUCCEEDED') throw new Error(`run ${runId} is ${run.state}`);
      return runId;
    },
    dataset,
    states: (...keys) => Promise.all(keys.map(async (key) => (await dataset(key)).state)),
    async usedBytes() {
      const totals = await store.view.datasetTotals();
      return totals.reduce((sum, row) => sum + (row.state === 'DELETED' ? 0 : row.sizeBytes), 0);
    },
    close,
  };
}

/** Waits until the condition holds. */
export async function eventually(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 5));
}

const databases = ['sqlite', 'postgres'] as const;

export interface Stage {
  /** Opens a world on the story's store; a second one shares the store and the files. */
  open(options?: WorldOptions): Promise<World>;
}

/** A test on each database; what was opened last is closed first. */
export function story(name: string, body: (stage: Stage) => Promise<void>): void {
  for (const database of databases) {
    test(`${name} (${database})`, async (t) => {
      const endings: (() => Promise<void>)[] = [];
      const scope: TestScope = { after: (ending) => endings.unshift(ending) };
      try {
        const fresh: { url?: string } | { skip: string } =
          database === 'sqlite' ? {} : await testDatabase(scope);
        if ('skip' in fresh) return t.skip(fresh.skip);
        let first: World | undefined;
        await body({
          async open(options) {
            const place = first ? { url: first.url, folder: first.folder } : fresh;
            const world = await openWorld(scope, { ...options, ...place });
            first ??= world;
            return world;
          },
        });
      } finally {
        for (const ending of endings) await ending();
      }
    });
  }
}
