// The workers that are connected anywhere, what they offer, and how much room they have: read from the store, and kept for a moment.
import type { Store } from '../../core/ports/store.ts';
import type { WorkerRow } from '../../core/rows.ts';
import { offersTags, readTags } from '../../core/tags.ts';

/** What a worker says of itself when it registers; kept as JSON in its row. */
export interface WorkerCapacity {
  readonly cores: number;
  readonly memoryBytes: number;
  /** It sees the storage under the same paths. */
  readonly sharedStorage: boolean;
}

export interface WorkerCensus {
  /** Reads what has changed. */
  refresh(): Promise<void>;
  /** How many further jobs with this demand are welcome; at most `ahead` may wait behind what runs. */
  roomFor(tags: string, ahead: number): number;
  /** Why no worker could take the job; undefined when one could. */
  lacking(job: { readonly tags: string; readonly travels: boolean }): Lack | undefined;
  readonly anyTags: boolean;
}

export type Lack = 'no worker takes jobs of its kind' | 'no worker sees the storage';

interface Member {
  readonly id: number;
  readonly tags: ReadonlySet<string>;
  readonly slots: number;
  readonly sharedStorage: boolean;
}

const workersKeptMs = 2_000;
const leastKeptMs = 200;

export function createWorkerCensus(store: Store, now: () => number): WorkerCensus {
  let members: readonly Member[] = [];
  let taken = new Map<number, number>();
  let queued = new Map<string, number>();
  let membersReadAt = Number.NEGATIVE_INFINITY;
  let changed = true;
  store.listen((topic) => {
    if (topic === 'worker' || topic === '*') changed = true;
  });
  const able = (tags: string): Member[] => members.filter((member) => offersTags(member.tags, tags));

  return {
    async refresh() {
      const age = now() - membersReadAt;
      if (age >= workersKeptMs || (changed && age >= leastKeptMs)) {
        changed = false;
        membersReadAt = now();
        members = (await store.view.workers({ live: true })).flatMap((row) => memberOf(row, now()));
      }
      if (members.length === 0) return;
      const load = await store.view.remoteLoad();
      taken = new Map(load.taken.map(({ workerId, count }) => [workerId, count]));
      queued = new Map(load.queued.map(({ tags, count }) => [tags, count]));
    },
    roomFor(tags, ahead) {
      const fit = able(tags);
      const slots = fit.reduce((sum, member) => sum + member.slots, 0);
      const free = fit.reduce((sum, { id, slots: all }) => sum + Math.max(0, all - (taken.get(id) ?? 0)), 0);
      return Math.max(0, free + Math.min(slots, ahead) - (queued.get(tags) ?? 0));
    },
    lacking({ tags, travels }) {
      const fit = able(tags);
      if (fit.length === 0) return 'no worker takes jobs of its kind';
      return travels || fit.some((member) => member.sharedStorage) ? undefined : 'no worker sees the storage';
    },
    get anyTags() {
      return members.some((member) => member.tags.size > 0);
    },
  };
}

/** Those that take work now. */
function memberOf(row: WorkerRow, now: number): Member[] {
  if (row.session === null || row.state !== 'ACTIVE' || row.leaseUntil <= now || row.capacity === null)
    return [];
  const { cores, sharedStorage } = JSON.parse(row.capacity) as WorkerCapacity;
  const tags = new Set(readTags(row.tags));
  return [{ id: row.id, tags, slots: Math.max(1, Math.floor(cores)), sharedStorage }];
}
