// One job in the hands of a worker: fetched, run, sent back. Every report may be repeated; a job that is no longer the worker's is ended and
// forgotten wherever it is.
import { setTimeout as sleep } from 'node:timers/promises';
import type { VarveClient } from '../api/client/client.ts';
import { VarveError } from '../core/errors.ts';
import type { Backend, JobOutcome } from '../core/ports/backend.ts';
import { JobSpace, type RemoteJob, sharedJob } from './job-space.ts';
import { LogSender } from './log-sender.ts';
import { isPassing } from './passing-errors.ts';

export interface HeldJobOptions {
  readonly client: VarveClient;
  readonly identity: { readonly worker: number; readonly workerSession: string };
  readonly backend: Backend;
  readonly folder: string;
  readonly sharedStorage: boolean;
  readonly warn: (text: string) => void;
  /** Called when the process has ended: there is room for another. */
  readonly freed: () => void;
  /** True when the worker was given up: nothing more is reported. */
  readonly given: () => boolean;
}

const logEveryMs = 1_000;
const pauseMs = 500;
const notOurs = new Set(['JOB_NOT_YOURS', 'WORKER_GONE', 'WORKER_UNKNOWN']);

export class HeldJob {
  readonly #job: RemoteJob;
  readonly #options: HeldJobOptions;
  readonly #space: JobSpace | undefined;
  readonly #processEnd = Promise.withResolvers<JobOutcome>();
  readonly #finished = Promise.withResolvers<void>();
  #submitted = false;
  #forgotten = false;
  cancelled = false;
  /** It has cores and memory of the machine. */
  occupies = true;

  constructor(job: RemoteJob, options: HeldJobOptions) {
    this.#job = job;
    this.#options = options;
    this.#space = options.sharedStorage ? undefined : new JobSpace(job, options.folder);
  }

  get key(): string {
    return this.#job.key;
  }

  get cores(): number {
    return this.#job.cores;
  }

  get memoryBytes(): number {
    return this.#job.memoryBytes ?? 0;
  }

  started(at: number): void {
    void this.#report((own) => this.#options.client.startJob({ ...own, at }));
  }

  processEnded(outcome: JobOutcome): void {
    this.#processEnd.resolve(outcome);
  }

  cancel(): void {
    if (this.cancelled) return;
    this.cancelled = true;
    if (this.#submitted) void this.#options.backend.cancel(this.key);
  }

  /** Ends it without a word; resolves when nothing of it is left. */
  forget(): Promise<void> {
    this.#forgotten = true;
    this.cancel();
    return this.#finished.promise;
  }

  /** Resolves when it was reported or forgotten; never rejects. */
  async run(): Promise<void> {
    try {
      const outcome = await this.#execute().catch((error: unknown) => this.#failure(error));
      this.#free();
      await this.#report((own) => this.#options.client.endJob({ ...own, outcome: reported(outcome) }));
    } finally {
      this.#free();
      await this.#space?.remove().catch(() => {});
      this.#finished.resolve();
    }
  }

  #free(): void {
    if (!this.occupies) return;
    this.occupies = false;
    this.#options.freed();
  }

  #failure(error: unknown): JobOutcome {
    const reason = error instanceof Error ? error.message : String(error);
    if (!this.#forgotten) this.#options.warn(`job ${this.key}: ${reason}`);
    return { kind: 'lost', reason };
  }

  async #execute(): Promise<JobOutcome> {
    const { client, backend } = this.#options;
    const space = this.#space;
    if (space) {
      await this.#persistently((own) =>
        space.fill({
          prepared: () => client.getJobFiles(own),
          input: (number) => client.getJobInput({ ...own, number }),
        }),
      );
    }
    if (this.cancelled) return { kind: 'cancelled' };
    this.#submitted = true;
    await backend.submit(space ? space.localJob() : sharedJob(this.#job));
    if (this.cancelled) await backend.cancel(this.key);
    const outcome = await this.#whileSendingLogs(space);
    this.#free();
    if (space && outcome.kind === 'exited')
      await this.#persistently((own) => client.putJobOutput({ ...own, bytes: space.output() }));
    return outcome;
  }

  async #whileSendingLogs(space: JobSpace | undefined): Promise<JobOutcome> {
    if (!space) return this.#processEnd.promise;
    const { client } = this.#options;
    const logs = new LogSender({
      pathOf: (stream) => space.logPath(stream),
      append: async (stream, offset, bytes) =>
        (await client.appendJobLog({ ...this.#own, stream, offset, bytes })).sizeBytes,
    });
    // What is not sent now is sent at the end.
    const timer = setInterval(() => void logs.send().catch(() => {}), logEveryMs);
    try {
      const outcome = await this.#processEnd.promise;
      clearInterval(timer);
      await this.#persistently(() => logs.send());
      return outcome;
    } finally {
      clearInterval(timer);
    }
  }

  /** Tells the server something of which nobody here waits for the answer. */
  async #report(tell: (own: Own) => Promise<unknown>): Promise<void> {
    await this.#persistently(tell).catch((error: unknown) => {
      if (!this.#forgotten)
        this.#options.warn(`job ${this.key}: ${error instanceof Error ? error.message : String(error)}`);
    });
  }

  /** Repeats what a server that is away for a moment could not answer; stops when the job is no longer ours. */
  async #persistently<T>(ask: (own: Own) => Promise<T>): Promise<T> {
    for (;;) {
      if (this.#forgotten || this.#options.given())
        throw new VarveError('cancelled', 'FORGOTTEN', 'given up');
      try {
        return await ask(this.#own);
      } catch (error) {
        if (error instanceof VarveError && notOurs.has(error.code)) this.#forgotten = true;
        if (!isPassing(error)) throw error;
        await sleep(pauseMs);
      }
    }
  }

  get #own(): Own {
    return { ...this.#options.identity, job: this.key };
  }
}

type Own = HeldJobOptions['identity'] & { readonly job: string };

/** As the protocol has it: whole milliseconds, and a reason of bounded length. */
function reported(outcome: JobOutcome) {
  if (outcome.kind === 'lost') return { kind: outcome.kind, reason: outcome.reason.slice(0, 1000) };
  const { startedAt, endedAt, cpuSeconds, peakMemoryBytes } = outcome;
  const usage = {
    ...(cpuSeconds === undefined ? {} : { cpuSeconds }),
    ...(peakMemoryBytes === undefined ? {} : { peakMemoryBytes: Math.round(peakMemoryBytes) }),
  };
  if (outcome.kind === 'cancelled') return { kind: outcome.kind, ...usage };
  const times = { startedAt: Math.round(startedAt ?? 0), endedAt: Math.round(endedAt ?? 0) };
  if (outcome.kind === 'timeout') return { kind: outcome.kind, ...times, ...usage };
  const { exitCode, signal } = outcome;
  return { kind: outcome.kind, exitCode, ...(signal === undefined ? {} : { signal }), ...times, ...usage };
}
