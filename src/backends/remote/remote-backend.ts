// Attempts on machines that are reached over the network. The queue is in the store: any process hands jobs over, any process gives them
// to workers that ask, and whoever owns the attempt is told of its end by the store. A job is taken by one worker at most (I4).
import { type AttemptState, liveAttemptStates } from '../../core/machines/attempt.ts';
import type { Backend, BackendEvents, JobOutcome } from '../../core/ports/backend.ts';
import type { Store } from '../../core/ports/store.ts';
import { tagsText } from '../../core/tags.ts';
import { remoteErrors } from './error-codes.ts';
import { createWorkerCensus, type WorkerCensus } from './worker-census.ts';

export interface RemoteBackendOptions {
  readonly store: Store;
  /** Who is told of ends: unique per process start. */
  readonly owner: string;
  readonly events: BackendEvents;
  readonly now?: () => number;
  readonly onProblem?: (error: unknown, doing: string) => void;
}

export interface RemoteBackend extends Backend {
  /** What the connected workers have room for. */
  readonly census: WorkerCensus;
}

/** Looks for ends that no notice told of, and for jobs that nobody could take. */
const careMs = 2_000;

export function createRemoteBackend(options: RemoteBackendOptions): RemoteBackend {
  const { store, owner, events } = options;
  const now = options.now ?? Date.now;
  const onProblem = options.onProblem ?? (() => {});
  const census = createWorkerCensus(store, now);
  const flights = new Map<
    string,
    { readonly job: WaitingJob | undefined; started: boolean; stranded: number; cancelled?: true }
  >();
  let reading: Promise<void> | undefined;
  let again = false;
  let closed = false;

  async function readNews(): Promise<void> {
    do {
      again = false;
      const keys = [...flights.keys()];
      const news = keys.length > 0 ? await store.view.remoteJobNews(keys) : [];
      for (const { key, startedAt, outcome } of news) {
        const flight = flights.get(key);
        if (!flight || closed) continue;
        if (startedAt !== null && !flight.started) {
          flight.started = true;
          events.started(key, startedAt);
        }
        if (outcome !== null) {
          flights.delete(key);
          events.ended(key, JSON.parse(outcome) as JobOutcome);
        }
      }
    } while (again && !closed);
  }

  function lookForNews(): void {
    again = true;
    reading ??= readNews()
      .catch((error) => onProblem(error, 'look for ends of remote jobs'))
      .finally(() => {
        reading = undefined;
        if (again && !closed) lookForNews();
      });
  }

  /** Jobs for which no worker is left go back, so that they are placed anew. */
  async function withdrawStranded(): Promise<void> {
    const waiting = [...flights].filter(([, { job, started }]) => job !== undefined && !started);
    if (waiting.length === 0) return;
    await census.refresh();
    for (const reason of ['no worker takes jobs of its kind', 'no worker sees the storage'] as const) {
      const stranded = waiting.filter(([, flight]) => {
        if (census.lacking(flight.job as WaitingJob) !== reason) return false;
        flight.stranded += 1;
        return flight.stranded > 1;
      });
      if (stranded.length === 0) continue;
      const passing = reason === 'no worker takes jobs of its kind';
      const outcome: JobOutcome = { kind: 'lost', reason, ...(passing ? { unstarted: true } : {}) };
      const keys = stranded.map(([key]) => key);
      await store.write((tx) => tx.endQueuedRemoteJobs(keys, JSON.stringify(outcome), now()));
    }
  }

  const unlisten = store.listen((topic) => {
    if (topic === 'job' || topic === '*') lookForNews();
  });
  const caring = setInterval(() => {
    if (flights.size === 0) return;
    withdrawStranded()
      .catch((error) => onProblem(error, 'look after remote jobs'))
      .finally(lookForNews);
  }, careMs).unref();

  return {
    name: 'remote',
    census,
    capacity: () => ({ cores: 0, memoryBytes: 0, queueAhead: 0 }),

    async submit(job) {
      const { key, resources, priority, travel } = job;
      const waiting = { tags: tagsText(resources.tags), travels: travel !== undefined };
      flights.set(key, { job: waiting, started: false, stranded: 0 });
      const queued = await store.write(
        async (tx) => {
          const [attempt] = await tx.attemptsByKey([key]);
          // Of an attempt that ended long ago not even the fence is left.
          if (!attempt || !isLive(attempt.state)) return false;
          tx.notify('job');
          return tx.queueRemoteJob({
            key,
            owner,
            tags: waiting.tags,
            travels: waiting.travels ? 1 : 0,
            millicores: Math.max(1, Math.round(resources.cores * 1000)),
            memoryBytes: resources.memoryBytes ?? 0,
            priority,
            job: JSON.stringify(job),
            queuedAt: now(),
          });
        },
        // Lost with the database server, the job would be waited for without end.
        { durable: 'processes' },
      );
      if (queued) return 'remote';
      flights.delete(key);
      throw remoteErrors.REMOTE_JOB_DUPLICATE(key);
    },

    async recover({ key }) {
      if (flights.has(key)) return 'running';
      const fence: JobOutcome = { kind: 'lost', reason: 'it was never handed over' };
      // First, so that no end is missed.
      flights.set(key, { job: undefined, started: false, stranded: 0 });
      const row = await store.write(async (tx) => {
        await tx.fenceRemoteJob(key, owner, JSON.stringify(fence), now());
        await tx.adoptRemoteJob(key, owner);
        return (await tx.remoteJobs([key]))[0];
      });
      if (row?.outcome == null) {
        if (row) flights.set(key, { job: waitingJob(row), started: row.startedAt !== null, stranded: 0 });
        lookForNews();
        return 'running';
      }
      flights.delete(key);
      return JSON.parse(row.outcome) as JobOutcome;
    },

    async cancel(key) {
      const flight = flights.get(key);
      if (!flight || flight.cancelled) return;
      flight.cancelled = true;
      const outcome: JobOutcome = { kind: 'cancelled' };
      await store.write(async (tx) => {
        const ended = await tx.endQueuedRemoteJobs([key], JSON.stringify(outcome), now());
        if (ended.length === 0) await tx.requestRemoteCancel(key);
        tx.notify(ended.length === 0 ? 'cancel' : 'job');
      });
    },

    async close() {
      closed = true;
      clearInterval(caring);
      unlisten();
      await reading;
      flights.clear();
    },
  };
}

function isLive(state: AttemptState): boolean {
  return (liveAttemptStates as readonly AttemptState[]).includes(state);
}

export interface WaitingJob {
  readonly tags: string;
  readonly travels: boolean;
}

function waitingJob({ tags, travels }: { readonly tags: string; readonly travels: number }): WaitingJob {
  return { tags, travels: travels === 1 };
}
