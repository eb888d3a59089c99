// Jobs that wait for, or are with, workers that are reached over the network. A row is to such a job what the control file is to a job
// of this machine: it is made once per key, taken by one worker at most, and its end never changes (I4).

export type RemoteJobState = 'QUEUED' | 'TAKEN' | 'ENDED';

export interface RemoteJobRow {
  /** The attempt's key. */
  readonly key: string;
  readonly state: RemoteJobState;
  /** The process that is told of its end. */
  readonly owner: string;
  /** What the worker must offer, in the form of `tagsText`. */
  readonly tags: string;
  /** 1 when it can execute on a machine that does not see the storage. */
  readonly travels: number;
  readonly millicores: number;
  readonly memoryBytes: number;
  readonly priority: number;
  /** The `BackendJob` as JSON; gone once it has ended. */
  readonly job: string | null;
  readonly workerId: number | null;
  readonly cancelRequested: number;
  readonly queuedAt: number;
  readonly startedAt: number | null;
  readonly endedAt: number | null;
  /** The `JobOutcome` as JSON. */
  readonly outcome: string | null;
}

/** Jobs that have not ended. */
export interface RemoteLoad {
  /** How many wait, by what they demand. */
  readonly queued: readonly { readonly tags: string; readonly count: number }[];
  /** How many each worker has. */
  readonly taken: readonly { readonly workerId: number; readonly count: number }[];
}

export interface RemoteJobsView {
  remoteJobs(keys: readonly string[]): Promise<RemoteJobRow[]>;
  /** Of these, the ones that have started or ended, without the job itself. */
  remoteJobNews(
    keys: readonly string[],
  ): Promise<Pick<RemoteJobRow, 'key' | 'state' | 'startedAt' | 'outcome'>[]>;
  remoteLoad(): Promise<RemoteLoad>;
  /** What workers have been asked to stop and have not ended. */
  remoteCancels(): Promise<{ readonly key: string; readonly workerId: number }[]>;
  /** What these workers have taken and not ended. */
  remoteJobsOfWorkers(workerIds: readonly number[]): Promise<RemoteJobRow[]>;
}

export interface RemoteJobsWrites {
  /** False when there is a row under this key already: the job was fenced, or handed over before. */
  queueRemoteJob(
    job: Omit<RemoteJobRow, 'state' | 'workerId' | 'cancelRequested' | 'startedAt' | 'endedAt' | 'outcome'>,
  ): Promise<boolean>;
  /** Makes sure that a job which is not there can never be queued. */
  fenceRemoteJob(key: string, owner: string, outcome: string, at: number): Promise<void>;
  /** From now on `owner` is told of its end. */
  adoptRemoteJob(key: string, owner: string): Promise<void>;
  /** Queued jobs in the order in which they should start, locked until the end of the transaction. */
  queuedRemoteJobs(tags: readonly string[], limit: number): Promise<RemoteJobRow[]>;
  takeRemoteJobs(keys: readonly string[], workerId: number): Promise<void>;
  /** Ends what no worker has taken yet; returns the keys. */
  endQueuedRemoteJobs(keys: readonly string[], outcome: string, at: number): Promise<string[]>;
  requestRemoteCancel(key: string): Promise<void>;
  /** False when the job is not this worker's. */
  startRemoteJob(key: string, workerId: number, at: number): Promise<boolean>;
  endRemoteJob(key: string, workerId: number, outcome: string, at: number): Promise<boolean>;
  /** Ends what the workers have taken; returns how many. */
  endRemoteJobsOf(workerIds: readonly number[], outcome: string, at: number): Promise<number>;
  /** Drops rows of jobs that ended before a time. */
  forgetRemoteJobs(endedBefore: number): Promise<void>;
}
