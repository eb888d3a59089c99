// A worker that needs nothing but HTTP: it asks a server for jobs, runs them with the local back-end of its machine, and sends logs and
// outputs back. What it holds belongs to it only as long as the server hears of it: when it cannot reach the server for the time of its
// lease, or is told that it was given up, it ends what runs and forgets it.
import { mkdir } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Input, Output } from '../api/api.ts';
import type { VarveClient } from '../api/client/client.ts';
import { createLocalBackend } from '../backends/local/local-backend.ts';
import { VarveError } from '../core/errors.ts';
import type { Backend } from '../core/ports/backend.ts';
import { version } from '../version.ts';
import { HeldJob } from './held-job.ts';
import type { RemoteJob } from './job-space.ts';
import { isPassing } from './passing-errors.ts';
import { claimFolder, clearLeftovers } from './work-folder.ts';

export interface RemoteWorkerOptions {
  readonly client: VarveClient;
  readonly name: string;
  readonly tags: readonly string[];
  readonly cores: number;
  readonly memoryBytes: number;
  readonly sharedStorage: boolean;
  /** Where jobs have their files; may be shared by workers. */
  readonly folder: string;
  readonly cacheDirectory: string;
  readonly launcher?: 'auto' | 'c' | 'sh' | undefined;
  /** Finishes what it has and leaves. */
  readonly signal: AbortSignal;
  readonly note: (text: string) => void;
  readonly warn: (text: string) => void;
}

type State = Input<'pollWork'>['state'];

const longestPauseMs = 2_000;
/** Remembered, so that an answer that comes late starts nothing a second time. */
const mostEndedKeys = 10_000;

/** Works until told to leave by the signal or by an operator. */
export async function runRemoteWorker(options: RemoteWorkerOptions): Promise<void> {
  const folder = await claimFolder(options.folder);
  const held = new Map<string, HeldJob>();
  const backend = createLocalBackend({
    cacheDirectory: options.cacheDirectory,
    events: {
      started: (key, at) => held.get(key)?.started(at),
      ended: (key, outcome) => held.get(key)?.processEnded(outcome),
    },
    cores: options.cores,
    memoryBytes: options.memoryBytes,
    launcher: options.launcher,
    warn: options.warn,
  });
  try {
    await clearLeftovers(options.folder, options.cacheDirectory);
    await mkdir(folder.path, { recursive: true });
    while (!(await new Membership(options, backend, held, folder.path).run()));
  } finally {
    await backend.close();
    await folder.release();
  }
}

/** One registration: from being known to the server to leaving, or being given up. */
class Membership {
  readonly #options: RemoteWorkerOptions;
  readonly #backend: Backend;
  readonly #held: Map<string, HeldJob>;
  readonly #folder: string;
  readonly #ended = new Set<string>();
  #registered: Output<'registerWorker'> = { worker: 0, name: '', session: '', leaseMs: 0 };
  #state: State = 'ACTIVE';
  #aliveAt = 0;
  #over: 'left' | 'lost' | { readonly error: unknown } | undefined;
  #wake = Promise.withResolvers<void>();

  constructor(options: RemoteWorkerOptions, backend: Backend, held: Map<string, HeldJob>, folder: string) {
    this.#options = options;
    this.#backend = backend;
    this.#held = held;
    this.#folder = folder;
  }

  /** True when it has left for good; false when it was given up and should register again. */
  async run(): Promise<boolean> {
    const { signal, note } = this.#options;
    if (!(await this.#register())) return true;
    note(`registered as ${this.#registered.name}`);
    const wake = (): void => this.#wake.resolve();
    signal.addEventListener('abort', wake);
    const watch = setInterval(() => this.#watchLease(), 1000);
    try {
      while (!this.#over) {
        if (this.#leaving && this.#held.size === 0) await this.#leave();
        else await this.#pollOnce();
      }
    } finally {
      clearInterval(watch);
      signal.removeEventListener('abort', wake);
    }
    if (typeof this.#over === 'object') throw this.#over.error;
    return this.#over === 'left';
  }

  get #leaving(): boolean {
    return this.#options.signal.aborted || this.#state === 'DRAINING';
  }

  async #register(): Promise<boolean> {
    const { client, name, tags, cores, memoryBytes, sharedStorage, signal, warn } = this.#options;
    for (let failures = 0; !signal.aborted; failures += 1) {
      try {
        const self = { name, host: hostname(), pid: process.pid, version };
        this.#aliveAt = performance.now();
        this.#registered = await client.registerWorker({
          ...self,
          tags: [...tags],
          cores,
          memoryBytes,
          sharedStorage,
        });
        return true;
      } catch (error) {
        if (!isPassing(error)) throw error;
        if (failures === 0) warn(`${(error as Error).message}; trying again`);
        await sleep(Math.min(longestPauseMs, 200 * 2 ** Math.min(failures, 5)), undefined, { signal }).catch(
          () => {},
        );
      }
    }
    return false;
  }

  /** Resolves when the poll was answered, or when there is more to ask for; the server then answers the earlier one at once. */
  async #pollOnce(): Promise<void> {
    this.#wake = Promise.withResolvers<void>();
    const answered = this.#poll();
    await Promise.race([answered, this.#wake.promise]);
  }

  async #poll(): Promise<void> {
    const { client } = this.#options;
    const began = performance.now();
    const running = [...this.#held.values()];
    const busy = running.filter((job) => job.occupies);
    const sum = (of: (job: HeldJob) => number): number => busy.reduce((total, job) => total + of(job), 0);
    const free = this.#options.cores - sum((job) => job.cores);
    const takes = this.#state === 'ACTIVE' && !this.#leaving;
    try {
      const signal = AbortSignal.timeout(this.#registered.leaseMs);
      const request: Input<'pollWork'> & { readonly signal: AbortSignal } = {
        ...this.#identity,
        state: this.#state,
        have: running.map((job) => job.key),
        cancelling: running.filter((job) => job.cancelled).map((job) => job.key),
        most: takes ? Math.max(0, Math.ceil(free)) : 0,
        freeCores: Math.max(0, free),
        freeMemoryBytes: Math.max(0, this.#options.memoryBytes - sum((job) => job.memoryBytes)),
        waitMs: 60_000,
        doing: doingWords(busy),
        signal,
      };
      const answer = await client.pollWork(request);
      this.#aliveAt = Math.max(this.#aliveAt, began);
      await this.#heed(answer);
    } catch (error) {
      await this.#failed(error);
    }
  }

  async #heed({ state, leaveNow, jobs, cancel, gone }: Output<'pollWork'>): Promise<void> {
    if (this.#over) return;
    if (state !== this.#state) this.#options.note(orderWords[state]);
    this.#state = state;
    for (const key of gone) await this.#forget(key);
    for (const key of cancel) this.#held.get(key)?.cancel();
    if (leaveNow) {
      await this.#dropAll();
      return this.#leave();
    }
    for (const job of jobs) this.#begin(job);
  }

  #begin(job: RemoteJob): void {
    if (this.#held.has(job.key) || this.#ended.has(job.key)) return;
    const held = new HeldJob(job, {
      client: this.#options.client,
      identity: this.#identity,
      backend: this.#backend,
      folder: join(this.#folder, job.key),
      sharedStorage: this.#options.sharedStorage,
      warn: this.#options.warn,
      freed: () => this.#wake.resolve(),
      given: () => this.#over !== undefined,
    });
    this.#held.set(job.key, held);
    void held.run().finally(() => {
      this.#held.delete(job.key);
      this.#ended.add(job.key);
      if (this.#ended.size > mostEndedKeys) this.#ended.delete(this.#ended.values().next().value as string);
      this.#wake.resolve();
    });
  }

  async #failed(error: unknown): Promise<void> {
    if (this.#over) return;
    const code = error instanceof VarveError ? error.code : '';
    if (code === 'WORKER_GONE' || code === 'WORKER_UNKNOWN') return this.#lost('the server has given it up');
    if (!isPassing(error)) {
      this.#over = { error };
      return this.#dropAll();
    }
    await sleep(Math.min(longestPauseMs, 100 + this.#registered.leaseMs / 20));
  }

  /** Without a word from the server for so long, the jobs are somebody else's. */
  #watchLease(): void {
    const silentMs = performance.now() - this.#aliveAt;
    if (this.#over || silentMs <= this.#registered.leaseMs) return;
    void this.#lost(`no answer for ${Math.round(silentMs / 1000)} s`).finally(() => this.#wake.resolve());
  }

  /** Ends what runs: it belongs to others now. */
  async #lost(why: string): Promise<void> {
    this.#over = 'lost';
    this.#options.warn(`${why}; ending ${this.#held.size} jobs and registering again`);
    await this.#dropAll();
  }

  async #dropAll(): Promise<void> {
    await Promise.all([...this.#held.keys()].map((key) => this.#forget(key)));
  }

  async #forget(key: string): Promise<void> {
    await this.#held.get(key)?.forget();
  }

  async #leave(): Promise<void> {
    this.#over = 'left';
    await this.#options.client.leaveWorkers(this.#identity).catch((error: unknown) => {
      this.#options.warn(`leave: ${error instanceof Error ? error.message : String(error)}`);
    });
  }

  get #identity() {
    return { worker: this.#registered.worker, workerSession: this.#registered.session };
  }
}

const orderWords: Readonly<Record<State, string>> = {
  ACTIVE: 'takes jobs again',
  PAUSED: 'paused: takes no new jobs',
  DRAINING: 'told to leave: finishes what it has',
};

function doingWords(jobs: readonly HeldJob[]): string {
  const keys = jobs.slice(0, 3).map((job) => job.key);
  if (keys.length === 0) return 'nothing';
  const more = jobs.length > keys.length ? ', …' : '';
  return `${jobs.length} ${jobs.length === 1 ? 'job' : 'jobs'}: ${keys.join(', ')}${more}`;
}
