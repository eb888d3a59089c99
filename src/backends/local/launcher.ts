// What the local back-end needs of a launcher: something that starts jobs in order as they fit, without Node forking itself.
// `c-launcher.ts` is the fast one, `sh-launcher.ts` serves where there is no C compiler.
import type { BackendJob, JobOutcome } from '../../core/ports/backend.ts';

export interface LauncherEvents {
  started(key: string, at: number): void;
  ended(key: string, outcome: JobOutcome): void;
  /**
   * The launcher will say no more about this job; its journal tells the truth. `again` when the launcher died, so that a job
   * that never started may be given to another.
   */
  dropped(key: string, reason: string, again: boolean): void;
  /** The launcher is gone; nothing more can be submitted. Its jobs are dropped right after. */
  died(reason: string): void;
}

export interface LauncherLimits {
  readonly millicores: number;
  readonly memoryBytes: number;
  /** Whether a job's declared memory is the limit of each of its processes' data (RLIMIT_DATA). */
  readonly enforceMemory: boolean;
}

export interface Launcher {
  readonly kind: 'c' | 'sh';
  /** Queues the job; it starts when it is at the head and fits. */
  submit(job: BackendJob): void;
  /** Stops a queued or running job; `ended` follows. Unknown keys are ignored. */
  cancel(key: string): void;
  /** Sets aside (or, negative, gives back) a part of the machine for work that others run. */
  reserve(millicores: number, memoryBytes: number): void;
  /** Starts nothing more and reports nothing more; running jobs are seen to their end. */
  close(): void;
}

const DEFAULT_GRACE_MS = 5000;
const LEAST_MILLICORES = 50;
const LARGEST = 2 ** 50;

/** What a job takes of the machine: even a job that declares no core takes a little, so that their number is bounded. */
export function demandOf(job: BackendJob): { readonly millicores: number; readonly memoryBytes: number } {
  return {
    millicores: Math.max(LEAST_MILLICORES, whole(job.resources.cores * 1000)),
    memoryBytes: whole(job.resources.memoryBytes ?? 0),
  };
}

export function graceOf(job: BackendJob): number {
  return whole(job.killGraceMs ?? DEFAULT_GRACE_MS);
}

export function timeoutOf(job: BackendJob): number {
  return job.timeoutMs === undefined ? 0 : Math.max(1, whole(job.timeoutMs));
}

/** A number that C reads as it is written. */
function whole(number: number): number {
  return Math.min(Math.max(0, Math.round(number)), LARGEST);
}
