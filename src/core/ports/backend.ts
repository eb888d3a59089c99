// Where attempts execute. A back-end is handed each attempt at most once (I4): the caller commits the attempt first, then
// calls `submit`; after a crash whoever takes the attempt over calls `recover`, which either finds the job or makes
// sure that it never starts.
import type { Resources } from '../workflow.ts';

export interface BackendJob {
  /** The attempt's key: unique for ever, safe in file names. */
  readonly key: string;
  /** The attempt's own directory, absolute, existing; the back-end may keep its control files in `control/` there. */
  readonly directory: string;
  /** A program with arguments, executed without a shell. */
  readonly argv: readonly string[];
  /** The whole environment: nothing else is there. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly stdin?: string | undefined;
  /** Log files; created by the back-end, appended live. */
  readonly stdout: string;
  readonly stderr: string;
  readonly resources: Resources;
  readonly timeoutMs?: number | undefined;
  /** Time between TERM and KILL. */
  readonly killGraceMs?: number | undefined;
  /** Larger starts first among jobs that wait inside the back-end. */
  readonly priority: number;
  /** What the job needs where jobs are confined; `container` when it is confined already. */
  readonly confine?: Confinement | 'container' | undefined;
  /** Given when the job can execute on a machine that sees none of these paths. */
  readonly travel?: JobTravel | undefined;
}

/** What a confined job may do beyond writing to the attempt's directory. */
export interface Confinement {
  /** Declared by whoever wrote the workflow. */
  readonly network: boolean;
  /** Files and directories outside the attempt's directory that it reads; absolute. */
  readonly reads: readonly string[];
}

/** What goes with a job to another machine and what comes back. All paths are absolute. */
export interface JobTravel {
  /** Files and directories outside the attempt's directory that the job may read. */
  readonly reads: readonly string[];
  /** Directories below the attempt's directory in which the job leaves what counts. */
  readonly returns: readonly string[];
}

export interface JobUsage {
  readonly startedAt: number;
  readonly endedAt: number;
  readonly cpuSeconds?: number | undefined;
  readonly peakMemoryBytes?: number | undefined;
}

export type JobOutcome =
  | ({
      readonly kind: 'exited';
      readonly exitCode: number;
      readonly signal?: string | undefined;
      /** Set when it is certain that no process of the job is left. */
      readonly swept?: true | undefined;
    } & JobUsage)
  | ({ readonly kind: 'timeout' } & JobUsage)
  | ({ readonly kind: 'cancelled' } & Partial<JobUsage>)
  /** The job is gone without a trace of its end, or never started and now never will. */
  | {
      readonly kind: 'lost';
      readonly reason: string;
      /** Set when it is certain that the job did nothing: then it may be tried again at once. */
      readonly unstarted?: true | undefined;
    };

export interface BackendEvents {
  /** The job's process runs now; at most once per key, may be skipped for short jobs. */
  started(key: string, at: number): void;
  /** The job's end; exactly once per key that this process submitted or recovered as running. */
  ended(key: string, outcome: JobOutcome): void;
}

export interface BackendCapacity {
  readonly cores: number;
  readonly memoryBytes: number;
  /** How many further jobs may be queued inside the back-end so that it never runs dry. */
  readonly queueAhead: number;
}

/** How many further jobs that demand these tags are welcome. */
export interface Opening {
  readonly tags: string;
  readonly count: number;
}

export interface Backend {
  readonly name: string;
  /** The handle of jobs that only a process of this machine finds again. */
  readonly ownHandle?: string;
  /** For a back-end that stands for several: which of them the job goes to. Recorded with the attempt, and told to `recover`. */
  placeOf?(job: BackendJob): string;
  /**
   * For a back-end whose room depends on tags. `inHand` is how much the caller has in hand, `ahead` the most that may queue
   * behind what runs. Without it, `capacity` says how much there is room for, and tags are not offered.
   */
  openings?(request: { readonly inHand: number; readonly ahead: number }): Promise<readonly Opening[]>;
  capacity(): BackendCapacity;
  /** Hands the job over; resolves with a handle to store once the back-end has it. `ended` follows later. */
  submit(job: BackendJob): Promise<string>;
  /**
   * After a crash: `running` (and `ended` will follow), an outcome that was recorded, or `lost`, in which case the
   * job is fenced: it can never start under this key.
   */
  recover(
    job: Pick<BackendJob, 'key' | 'directory'> & { readonly place?: string | undefined },
    handle: string | undefined,
  ): Promise<'running' | JobOutcome>;
  /** Asks a job to stop (TERM, then KILL to its whole group); `ended` follows. Unknown keys are ignored. */
  cancel(key: string): Promise<void>;
  /** Stops watching. Running jobs go on and can be recovered by another process. */
  close(): Promise<void>;
}
