// Jobs that run on this machine under a launcher that is not ours: another process's, or one that died. A job whose
// launcher lives is running and its journal will tell its end; a job whose launcher is dead can never tell how it
// ended, so it is killed with all its processes and then reported lost. Journals are looked at every POLL_MS.
import { setTimeout as sleep } from 'node:timers/promises';
import type { JobOutcome } from '../../core/ports/backend.ts';
import type { JobStart, StopMark } from './job-journal.ts';
import { declareLost, markJournal, readJournal, readOrFence } from './job-journal.ts';
import { findRemains, isAlive, signalGroup, signalProcess, thisMachine } from './process-identity.ts';

const POLL_MS = 100;
const KILL_ROUNDS = 40;
/** Normally an end is recorded at once; a job without a readable journal, or a silent launcher, is given this long. */
const SILENT_POLLS = 50;

export type Examined = { readonly kind: 'running'; readonly start: JobStart } | JobOutcome;

/** The truth about a job that is not ours: where nothing is decided it is fenced, where nobody sees to it it is killed. */
export async function examineJob(directory: string, fenceReason: string): Promise<Examined> {
  const state = readOrFence(directory, fenceReason);
  if (state.kind === 'fenced') return { kind: 'lost', reason: state.reason };
  if (state.kind === 'ended') return state.outcome;
  const { start } = state;
  if (start.boot !== thisMachine().boot) {
    const cause = start.host === thisMachine().host ? 'the machine was restarted' : `it ran on ${start.host}`;
    return declareLost(directory, `${cause} and its end was not recorded`);
  }
  if (isAlive(start.launcher)) return { kind: 'running', start };
  const again = readJournal(directory);
  if (again.kind === 'ended') return again.outcome;
  await killRemains(start, directory);
  return declareLost(directory, 'its launcher was killed, so its end is unknown');
}

/** Asks a started job to stop, and notes why in its journal. */
export function stopJob(
  directory: string,
  start: JobStart,
  mark: StopMark,
  signal: 'SIGTERM' | 'SIGKILL',
): void {
  try {
    if (signal === 'SIGTERM' && readJournal(directory).kind === 'started') markJournal(directory, mark);
  } catch {
    // Without the mark the end reads as death by signal; stopping it matters more.
  }
  if (isAlive(start.job, true)) signalGroup(start.job, signal);
}

async function killRemains(start: JobStart, directory: string): Promise<void> {
  for (let round = 0; round < KILL_ROUNDS; round += 1) {
    signalGroup(start.job, 'SIGKILL');
    const remains = findRemains(start.job, directory);
    for (const pid of remains) signalProcess(pid, 'SIGKILL');
    if (remains.length === 0 && !isAlive(start.job)) return;
    await sleep(5);
  }
}

interface AdoptedJob {
  readonly directory: string;
  readonly start: JobStart;
  stopping: { readonly mark: StopMark; readonly killAt: number; killed: boolean } | undefined;
  silentPolls: number;
}

export interface AdoptedJobsOptions {
  readonly ended: (key: string, outcome: JobOutcome) => void;
  /** Told how much of the machine adopted jobs take, as they come and (negative) go. */
  readonly reserve: (millicores: number, memoryBytes: number) => void;
}

export class AdoptedJobs {
  readonly #jobs = new Map<string, AdoptedJob>();
  readonly #options: AdoptedJobsOptions;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: AdoptedJobsOptions) {
    this.#options = options;
  }

  has(key: string): boolean {
    return this.#jobs.has(key);
  }

  /** Watches a running job until `ended` was called for it. */
  adopt(key: string, directory: string, start: JobStart): void {
    if (this.#jobs.has(key)) return;
    this.#jobs.set(key, { directory, start, stopping: undefined, silentPolls: 0 });
    this.#options.reserve(start.millicores, start.memoryBytes);
    this.#pollLater();
  }

  cancel(key: string): void {
    const job = this.#jobs.get(key);
    if (job) this.#stop(job, 'cancelled');
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#jobs.clear();
  }

  #pollLater(): void {
    if (this.#jobs.size > 0) this.#timer ??= setTimeout(() => this.#poll(), POLL_MS);
  }

  async #poll(): Promise<void> {
    for (const [key, job] of this.#jobs) {
      const outcome = await this.#look(job);
      if (outcome === undefined || !this.#jobs.delete(key)) continue;
      this.#options.reserve(-job.start.millicores, -job.start.memoryBytes);
      this.#options.ended(key, outcome);
    }
    this.#timer = undefined;
    this.#pollLater();
  }

  async #look(job: AdoptedJob): Promise<JobOutcome | undefined> {
    const problem = await this.#findProblem(job);
    if (typeof problem === 'object') return problem;
    if (problem === undefined) {
      job.silentPolls = 0;
      return undefined;
    }
    job.silentPolls += 1;
    if (job.silentPolls < SILENT_POLLS) return undefined;
    await killRemains(job.start, job.directory);
    return { kind: 'lost', reason: problem };
  }

  /** An outcome, nothing while all is well, or why no end of it can be known if this goes on. */
  async #findProblem(job: AdoptedJob): Promise<JobOutcome | string | undefined> {
    const { start, stopping } = job;
    if (!stopping && start.deadlineAt > 0 && Date.now() >= start.deadlineAt) this.#stop(job, 'timeout');
    if (stopping && !stopping.killed && Date.now() >= stopping.killAt) {
      stopping.killed = true;
      stopJob(job.directory, start, stopping.mark, 'SIGKILL');
    }
    try {
      if (readJournal(job.directory).kind === 'absent')
        return 'its control file was deleted, so its end is unknown';
      const examined = await examineJob(job.directory, 'not started');
      if (examined.kind !== 'running') return examined;
    } catch (error) {
      return `its control file cannot be read: ${(error as Error).message}`;
    }
    return isAlive(start.job, true) ? undefined : 'it is gone and its launcher does not tell its end';
  }

  #stop(job: AdoptedJob, mark: StopMark): void {
    if (job.stopping) return;
    job.stopping = { mark, killAt: Date.now() + job.start.graceMs, killed: false };
    stopJob(job.directory, job.start, mark, 'SIGTERM');
  }
}
