// A back-end for simulations: nothing is executed, the test decides how and when each job ends. The world outlives the
// managers: when one crashes, its running jobs go on and another finds them by `recover`. Starting follows the rules of the local
// back-end (priority, then order of arrival, as cores and memory fit), and each start is counted, so that I4 can be asserted.
import type {
  Backend,
  BackendCapacity,
  BackendEvents,
  BackendJob,
  JobOutcome,
} from '../core/ports/backend.ts';
import { backendErrors } from './error-codes.ts';

export interface ScriptedJob {
  /** Undefined when a key was fenced before anybody submitted it. */
  readonly job: BackendJob | undefined;
  state: 'queued' | 'running' | 'ended' | 'fenced';
  starts: number;
  startedAt: number;
  /** Set by `cancel`: the test ends the job, as an obedient or a stubborn one would. */
  cancelRequested: boolean;
  outcome: JobOutcome | undefined;
  /** Where it was taken; other hosts do not see it. */
  readonly host: string | undefined;
  readonly watchers: Set<ScriptedBackend>;
}

type Ending =
  | { readonly kind: 'exited'; readonly exitCode: number; readonly signal?: string }
  | { readonly kind: 'timeout' }
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'lost'; readonly reason: string };

/** The machines, as the test sees them. */
export class ScriptedWorld {
  readonly jobs = new Map<string, ScriptedJob>();
  /** Decides whether a submission fails, and whether the job was taken nevertheless. */
  submitFault: ((job: BackendJob) => 'before' | 'after' | undefined) | undefined;
  /** When true, a cancelled job does not end until the test ends it. */
  ignoreCancel = false;
  readonly now: () => number;

  constructor(now: () => number = Date.now) {
    this.now = now;
  }

  /** How often the job of this key was started; more than once is a violation of I4. */
  starts(key: string): number {
    return this.jobs.get(key)?.starts ?? 0;
  }

  /** Keys in a state, in order of arrival. */
  keys(state: ScriptedJob['state']): string[] {
    return [...this.jobs].filter(([, job]) => job.state === state).map(([key]) => key);
  }

  /** Ends a running job; every living manager that watches it is told. */
  finish(key: string, ending: Ending = { kind: 'exited', exitCode: 0 }): void {
    const entry = this.jobs.get(key);
    if (entry?.state !== 'running') throw new Error(`job ${key} is not running`);
    const usage = { startedAt: entry.startedAt, endedAt: this.now() };
    this.settle(key, entry, 'ended', ending.kind === 'lost' ? ending : { ...ending, ...usage });
  }

  /** Tells the end of a job once more, as a repeated callback would. */
  repeatEnded(key: string): void {
    const entry = this.jobs.get(key);
    if (entry?.outcome === undefined) throw new Error(`job ${key} has not ended`);
    for (const watcher of entry.watchers) watcher.tell(key, entry.outcome);
  }

  settle(key: string, entry: ScriptedJob, state: 'ended' | 'fenced', outcome: JobOutcome): void {
    entry.state = state;
    entry.outcome = outcome;
    for (const watcher of entry.watchers) watcher.tell(key, outcome);
    for (const watcher of entry.watchers) watcher.startWhatFits();
  }
}

export interface ScriptedBackendOptions {
  readonly world: ScriptedWorld;
  readonly events: BackendEvents;
  readonly capacity?: Partial<BackendCapacity> | undefined;
  /** Managers on different hosts do not see each other's jobs: to them a job is lost, though it may go on. */
  readonly host?: string | undefined;
}

/** One manager's view of the world. */
export class ScriptedBackend implements Backend {
  readonly name = 'scripted';
  readonly #world: ScriptedWorld;
  readonly #events: BackendEvents;
  readonly #capacity: BackendCapacity;
  readonly #host: string | undefined;
  #alive = true;

  constructor(options: ScriptedBackendOptions) {
    this.#world = options.world;
    this.#events = options.events;
    this.#host = options.host;
    this.#capacity = { cores: 2, memoryBytes: 2 ** 34, queueAhead: 4, ...options.capacity };
  }

  capacity(): BackendCapacity {
    return this.#capacity;
  }

  async submit(job: BackendJob): Promise<string> {
    if (!this.#alive) throw backendErrors.BACKEND_UNAVAILABLE(this.name, 'the manager is dead');
    const fault = this.#world.submitFault?.(job);
    if (fault === 'before') throw backendErrors.BACKEND_UNAVAILABLE(this.name, `it refused ${job.key}`);
    this.#take(job);
    if (fault === 'after')
      throw backendErrors.BACKEND_UNAVAILABLE(this.name, `it did not answer about ${job.key}`);
    return `scripted:${job.key}`;
  }

  async recover(job: Pick<BackendJob, 'key'>): Promise<'running' | JobOutcome> {
    const entry = this.#world.jobs.get(job.key) ?? newEntry(undefined, this.#host);
    this.#world.jobs.set(job.key, entry);
    if (entry.host !== this.#host && entry.state === 'running')
      return { kind: 'lost', reason: `it was on ${entry.host}` };
    if (entry.state === 'queued') {
      this.#world.settle(job.key, entry, 'fenced', {
        kind: 'lost',
        reason: 'it was never started',
        unstarted: true,
      });
    }
    if (entry.outcome !== undefined) return entry.outcome;
    entry.watchers.add(this);
    return 'running';
  }

  async cancel(key: string): Promise<void> {
    const entry = this.#world.jobs.get(key);
    if (!entry?.watchers.has(this)) return;
    entry.cancelRequested = true;
    if (entry.state === 'queued') this.#world.settle(key, entry, 'fenced', { kind: 'cancelled' });
    else if (entry.state === 'running' && !this.#world.ignoreCancel)
      this.#world.finish(key, { kind: 'cancelled' });
  }

  async close(): Promise<void> {
    this.crash();
  }

  /** The manager dies: it hears nothing more, what it queued never starts, what runs goes on. */
  crash(): void {
    this.#alive = false;
    for (const entry of this.#world.jobs.values()) entry.watchers.delete(this);
  }

  tell(key: string, outcome: JobOutcome): void {
    if (this.#alive) this.#events.ended(key, outcome);
  }

  startWhatFits(): void {
    if (!this.#alive) return;
    for (let head = this.#head(); head !== undefined && this.#fits(head); head = this.#head()) {
      head.state = 'running';
      head.starts += 1;
      head.startedAt = this.#world.now();
      this.#events.started(head.job.key, head.startedAt);
    }
  }

  #take(job: BackendJob): void {
    const known = this.#world.jobs.get(job.key);
    if (known !== undefined) {
      known.watchers.add(this);
      if (known.outcome !== undefined) queueMicrotask(() => this.tell(job.key, known.outcome!));
      return;
    }
    const entry = newEntry(job, this.#host);
    entry.watchers.add(this);
    this.#world.jobs.set(job.key, entry);
    this.startWhatFits();
  }

  #head(): (ScriptedJob & { readonly job: BackendJob }) | undefined {
    let head: (ScriptedJob & { readonly job: BackendJob }) | undefined;
    for (const entry of this.#world.jobs.values()) {
      if (entry.state !== 'queued' || !entry.watchers.has(this)) continue;
      if (head === undefined || entry.job!.priority > head.job.priority) head = entry as typeof head;
    }
    return head;
  }

  #fits({ job }: { readonly job: BackendJob }): boolean {
    let { cores, memoryBytes } = this.#capacity;
    const wanted = demandOf(job, this.#capacity);
    for (const entry of this.#world.jobs.values()) {
      if (entry.state !== 'running' || !entry.watchers.has(this)) continue;
      const taken = demandOf(entry.job!, this.#capacity);
      cores -= taken.cores;
      memoryBytes -= taken.memoryBytes;
    }
    return wanted.cores <= cores && wanted.memoryBytes <= memoryBytes;
  }
}

function newEntry(job: BackendJob | undefined, host: string | undefined): ScriptedJob {
  return {
    job,
    state: 'queued',
    starts: 0,
    startedAt: 0,
    cancelRequested: false,
    outcome: undefined,
    host,
    watchers: new Set(),
  };
}

/** A job larger than the machine takes all of it. */
function demandOf(job: BackendJob, capacity: BackendCapacity): { cores: number; memoryBytes: number } {
  const { cores, memoryBytes = 0 } = job.resources;
  const whole = cores > capacity.cores || memoryBytes > capacity.memoryBytes;
  return whole ? capacity : { cores, memoryBytes };
}
