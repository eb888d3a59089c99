// The dataset manager: a scraper takes given-up datasets that nothing claims, a bounded number of deletors remove their files (I2: only in
// DELETING). Stale PROCESSING and DELETING rows of dead managers are taken over; errors put the row back.
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

export function createDatasetManager(context: EngineContext, options: DatasetManagerOptions): DatasetManager {
  const { store, storage, clock, owner } = context;
  const { leaseMs, pollMs, deletors, onProblem } = options;
  let stopping = false;
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

  async function sweep(): Promise<number> {
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
      if (rows.length < deletors) return removed;
    }
  }

  return {
    sweep,
    async run() {
      const heard = (topic: Topic): void => {
        if (topic === 'doomed' || topic === '*') wake.abort();
      };
      const unlisten = store.listen(heard);
      loop = (async () => {
        while (!stopping) {
          wake = new AbortController();
          try {
            await sweep();
          } catch (error) {
            onProblem(error, 'look for datasets to remove');
          }
          if (!stopping) await clock.sleep(pollMs, wake.signal);
        }
      })();
      await loop;
      unlisten();
    },
    async stop() {
      stopping = true;
      wake.abort();
      await loop;
    },
  };
}

/** Why a dataset goes that nobody decided about. */
function plainReason(row: DatasetRow): string {
  if (row.managed === 0)
    return 'its output is unmanaged: the stored copy lives only as long as its run reads it';
  return row.keep === 'never' ? 'its action says keep: never' : 'an equal or newer dataset stands for it';
}
