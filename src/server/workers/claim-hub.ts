// The workers that wait at this process, and how they get jobs. Each waits in an open request; when the store says that jobs were queued, one
// transaction takes jobs for all of them, however many wait. Other processes do the same on the same store: a job is taken once (I4).
import type { RemoteJobRow } from '../../core/ports/remote-jobs.ts';
import type { Store, Topic } from '../../core/ports/store.ts';
import { offersTags } from '../../core/tags.ts';
import { type Claimant, matchJobs } from './match-jobs.ts';

export interface Wait {
  readonly claimant: Claimant;
  readonly waitMs: number;
  readonly signal?: AbortSignal | undefined;
  /** What the worker knows: it is told when it is to be otherwise. */
  readonly state: string;
  readonly cancelling: readonly string[];
}

export interface ClaimHub {
  /** Resolves with jobs, or with none when the time is over or something else is to be said. */
  wait(wait: Wait): Promise<readonly RemoteJobRow[]>;
  readonly waiting: number;
  /** Ends all waits. */
  close(): Promise<void>;
}

interface Waiter extends Wait {
  readonly resolve: (jobs: readonly RemoteJobRow[]) => void;
}

const mostAtOnce = 500;
/** A notice may get lost when a database restarts. */
const careMs = 2_000;
/** Many notices are looked into together. */
const orderDelayMs = 50;

export function createClaimHub(
  store: Store,
  onProblem: (error: unknown, doing: string) => void,
  now: () => number = Date.now,
): ClaimHub {
  const waiters = new Map<number, Waiter>();
  let unlisten: (() => void) | undefined;
  let caring: NodeJS.Timeout | undefined;
  let passing: NodeJS.Timeout | undefined;
  let taking: Promise<void> | undefined;
  let again = false;
  let closed = false;

  function answer(waiter: Waiter, jobs: readonly RemoteJobRow[]): void {
    if (waiters.get(waiter.claimant.workerId) === waiter) waiters.delete(waiter.claimant.workerId);
    waiter.resolve(jobs);
  }

  async function takeOnce(): Promise<boolean> {
    const open = [...waiters.values()].filter(({ claimant }) => claimant.most > 0);
    if (open.length === 0) return false;
    const queued = (await store.view.remoteLoad()).queued;
    const demands = queued
      .map(({ tags }) => tags)
      .filter((tags) => open.some(({ claimant }) => offersTags(claimant.tags, tags)));
    if (demands.length === 0) return false;
    const limit = Math.min(
      mostAtOnce,
      open.reduce((sum, { claimant }) => sum + claimant.most, 0),
    );
    const taken = await store.write(
      async (tx) => {
        const rows = await tx.workers({ ids: open.map(({ claimant }) => claimant.workerId) });
        const alive = new Set(
          rows.filter((row) => row.state === 'ACTIVE' && row.leaseUntil > now()).map((row) => row.id),
        );
        const claimants = open.map(({ claimant }) => claimant).filter(({ workerId }) => alive.has(workerId));
        // More than there is room for, so that those which fit nobody here do not hide the others.
        const jobs = await tx.queuedRemoteJobs(demands, limit + mostAtOnce);
        const matched = matchJobs(jobs, claimants);
        for (const [workerId, own] of matched) {
          await tx.takeRemoteJobs(
            own.map(({ key }) => key),
            workerId,
          );
        }
        return matched;
      },
      // The machine of a worker outlives a power failure of this one.
      { durable: true },
    );
    for (const waiter of open) {
      const jobs = taken.get(waiter.claimant.workerId);
      // One that has given up meanwhile hears of its jobs when it asks again.
      if (jobs) answer(waiter, jobs);
    }
    return taken.size > 0;
  }

  function take(): void {
    again = true;
    taking ??= (async () => {
      while (again && !closed) {
        again = false;
        if (await takeOnce()) again = true;
      }
    })()
      .catch((error) => onProblem(error, 'give jobs to workers'))
      .finally(() => {
        taking = undefined;
        if (again && !closed) take();
      });
  }

  /** Answers those for whom there are orders or cancellations that they do not know. */
  async function passOrders(): Promise<void> {
    const ids = [...waiters.keys()];
    if (ids.length === 0) return;
    const cancels = await store.view.remoteCancels();
    for (const { key, workerId } of cancels) {
      const waiter = waiters.get(workerId);
      if (waiter && !waiter.cancelling.includes(key)) answer(waiter, []);
    }
    for (const { id, state, leaveNow } of await store.view.workers({ ids })) {
      const waiter = waiters.get(id);
      if (waiter && (state !== waiter.state || leaveNow === 1)) answer(waiter, []);
    }
  }

  function passOrdersSoon(): void {
    passing ??= setTimeout(() => {
      passing = undefined;
      passOrders().catch((error) => onProblem(error, 'pass orders to workers'));
    }, orderDelayMs).unref();
  }

  function heard(topic: Topic): void {
    if (topic === 'job' || topic === '*') take();
    if (topic === 'worker' || topic === 'cancel' || topic === '*') passOrdersSoon();
  }

  function start(): void {
    unlisten ??= store.listen(heard);
    caring ??= setInterval(() => {
      if (waiters.size > 0) take();
    }, careMs).unref();
  }

  return {
    async wait(wait) {
      if (closed) return [];
      start();
      const { promise, resolve } = Promise.withResolvers<readonly RemoteJobRow[]>();
      const waiter: Waiter = { ...wait, resolve };
      const { workerId } = wait.claimant;
      const before = waiters.get(workerId);
      if (before) answer(before, []);
      waiters.set(workerId, waiter);
      const end = (): void => answer(waiter, []);
      const timer = setTimeout(end, wait.waitMs);
      wait.signal?.addEventListener('abort', end, { once: true });
      if (wait.claimant.most > 0) take();
      try {
        return await promise;
      } finally {
        clearTimeout(timer);
        wait.signal?.removeEventListener('abort', end);
      }
    },
    get waiting() {
      return waiters.size;
    },
    async close() {
      closed = true;
      unlisten?.();
      clearInterval(caring);
      clearTimeout(passing);
      for (const waiter of [...waiters.values()]) answer(waiter, []);
      await taking;
    },
  };
}
