// The dataset manager: a scraper takes given-up datasets that nothing claims, a bounded number of deletors remove their files (I2: only in
// DELETING). Stale PROCESSING and DELETING rows of dead managers are taken over; errors put the row back. While given-up datasets wait
// for their last readers, it looks after every completion, and once more before it leaves.
import type { Topic } from '../core/ports/store.ts';
import type { DatasetRow } from '../core/rows.ts';
import { by, type EngineContext } from './engine-context.ts';

export interface DatasetManagerOptions {
  readonly leaseMs: number;
  readonly pollMs: number;
  /** How many datasets are removed at once. */
  readonly deletors: number;
  readonly onProblem: (error: unknown, doing: string) => void;
}

export interface DatasetManager {
  run(): Promise<void>;
  stop(): Promise<void>;
  /** Removes everything that can be removed now; returns how many datasets. */
  sweep(): Promise<number>;
}

/** After an error a dataset is left alone for this long. */
const errorPauseMs = 30_000;
/** Least time between two looks for datasets whose last readers may have ended. */
const breathMs = 50;
/** How long a manager that leaves goes on removing; others, or the next process, do the rest. */
const lastSweepMs = 2_000;

export function createDatasetManager(context: EngineContext, options: DatasetManagerOptions): DatasetManager {
  const { store, storage, clock, owner } = context;
  const { leaseMs, pollMs, deletors, onProblem } = options;
  const halt = new AbortController();
  /** Given-up datasets were still claimed when this manager looked last. */
  let waiting = false;
  /** Claims may have ended since the last look began. */
  let ended = false;
  let wake = new AbortController();
  let loop: Promise<void> | undefined;

  async function remove(row: DatasetRow): Promise<boolean> {
    const fenced = { id: row.id, fence: row.fence };
    if (row.state === 'PROCESSING') {
      const set = { removalBeganAt: clock.now() };
      const moved = await store.write((tx) =>
        tx.move('dataset', 'remove', [{ ...fenced, set }], by(context)),
      );
      if (moved.length === 0) return false;
    }
    try {
      if (row.location !== null) await storage.remove(row.location);
    } catch (error) {
      onProblem(error, `remove dataset ${row.signature.slice(0, 12)}`);
      const set = { leaseUntil: clock.now() + errorPauseMs, owner: null };
      const detail = { message: error instanceof Error ? error.message : String(error) };
      await store.write((tx) => tx.move('dataset', 'putBack', [{ ...fenced, set, detail }], by(context)));
      return false;
    }
    const set = {
      deletedAt: clock.now(),
      deletedReason: row.deletedReason ?? plainReason(row),
      location: null,
      removalBeganAt: null,
      owner: null,
      // A row that is computed and given up again soon is not to wait for the end of this lease.
      leaseUntil: 0,
    };
    const moved = await store.write((tx) => tx.move('dataset', 'removed', [{ ...fenced, set }], by(context)));
    return moved.length > 0;
  }

  async function sweep(until = Number.POSITIVE_INFINITY): Promise<number> {
    let removed = 0;
    for (;;) {
      const now = clock.now();
      const rows = await store.write(
        async (tx) => {
          await tx.expireEdges(now);
          return tx.takeDoomed({ owner, now, until: now + leaseMs, limit: deletors });
        },
        { durable: false },
      );
      const results = await Promise.all(rows.map(remove));
      removed += results.filter(Boolean).length;
      if (rows.length < deletors || clock.now() >= until) return removed;
    }
  }

  async function attend(until?: number): Promise<void> {
    ended = false;
    try {
      await sweep(until);
      const totals = await store.view.datasetTotals();
      waiting = totals.some(({ state, count }) => state === 'STORED_TO_DELETE' && count > 0);
    } catch (error) {
      onProblem(error, 'look for datasets to remove');
    }
  }

  return {
    sweep: () => sweep(),
    async run() {
      const heard = (topic: Topic): void => {
        if (topic === 'run') ended = true;
        if (topic === 'doomed' || topic === '*' || (waiting && topic === 'run')) wake.abort();
      };
      const unlisten = store.listen(heard);
      loop = (async () => {
        while (!halt.signal.aborted) {
          wake = new AbortController();
          await attend();
          if (!waiting) await clock.sleep(pollMs, wake.signal);
          else {
            await clock.sleep(breathMs, halt.signal);
            if (!ended) await clock.sleep(pollMs, wake.signal);
          }
        }
      })();
      await loop;
      unlisten();
    },
    async stop() {
      halt.abort();
      wake.abort();
      if (!loop) return;
      await loop;
      await attend(clock.now() + lastSweepMs);
    },
  };
}

/** Why a dataset goes that nobody decided about. */
function plainReason(row: DatasetRow): string {
  if (row.managed === 0)
    return 'its output is unmanaged: the stored copy lives only as long as its run reads it';
  return row.keep === 'never' ? 'its action says keep: never' : 'an equal or newer dataset stands for it';
}
