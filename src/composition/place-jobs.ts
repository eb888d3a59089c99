// One back-end that stands for two: processes of this machine, and workers that are reached over the network. Both can always be asked
// about attempts that somebody else left; new ones go where there is room, to this machine first.

import type { RemoteBackend } from '../backends/remote/remote-backend.ts';
import type { Backend, BackendEvents, BackendJob, Opening } from '../core/ports/backend.ts';
import type { StoreView } from '../core/ports/store.ts';
import { offersTags, tagsText } from '../core/tags.ts';
import { roomAhead } from '../engine/dispatch-pace.ts';

export interface PlaceOptions {
  readonly view: StoreView;
  readonly makeLocal: (events: BackendEvents) => Backend;
  readonly makeRemote: (events: BackendEvents) => RemoteBackend;
  readonly events: BackendEvents;
  /** New jobs may execute on this machine. */
  readonly here: boolean;
  /** What this machine offers. */
  readonly tags: readonly string[];
  /** New jobs may be given to connected workers. */
  readonly elsewhere: boolean;
  readonly now?: () => number;
}

export function placeJobs(options: PlaceOptions): Backend {
  const { view, events, here, elsewhere } = options;
  const now = options.now ?? Date.now;
  const offered = new Set(options.tags);
  const flights = { local: new Set<string>(), remote: new Set<string>() };
  /** Placed since the last look for openings, and not handed over yet. */
  const coming = { local: new Set<string>(), remote: new Set<string>() };

  const watched = (place: 'local' | 'remote'): BackendEvents => ({
    started: (key, at) => events.started(key, at),
    ended(key, outcome) {
      flights[place].delete(key);
      events.ended(key, outcome);
    },
  });
  const local = options.makeLocal(watched('local'));
  const remote = options.makeRemote(watched('remote'));
  const places = { local, remote };

  const cores = (): number => (here ? Math.ceil(local.capacity().cores) : 0);
  const count = (place: 'local' | 'remote'): number => flights[place].size + coming[place].size;

  function choose(job: BackendJob): 'local' | 'remote' {
    const tags = tagsText(job.resources.tags);
    const fitsHere = here && offersTags(offered, tags);
    if (!fitsHere) return elsewhere ? 'remote' : 'local';
    if (!elsewhere || count('local') < cores()) return 'local';
    if (remote.census.lacking({ tags, travels: job.travel !== undefined })) return 'local';
    return remote.census.roomFor(tags, 0) > coming.remote.size ? 'remote' : 'local';
  }

  return {
    name: 'local',
    ...(local.ownHandle === undefined ? {} : { ownHandle: local.ownHandle }),
    capacity: () => local.capacity(),
    placeOf(job) {
      const place = choose(job);
      coming[place].add(job.key);
      return place;
    },
    async openings({ inHand, ahead }) {
      coming.local.clear();
      coming.remote.clear();
      const { queueAhead } = local.capacity();
      const localRoom = here
        ? roomAhead({
            cores: cores(),
            ahead: Math.min(queueAhead, ahead),
            inHand: inHand - flights.remote.size,
          })
        : 0;
      if (elsewhere) await remote.census.refresh();
      const roomFor = (tags: string): number =>
        (offersTags(offered, tags) ? localRoom : 0) + (elsewhere ? remote.census.roomFor(tags, ahead) : 0);
      const tagged = offered.size > 0 || (elsewhere && remote.census.anyTags);
      const demands = tagged ? [...(await view.demandedTags(now())), ''] : [''];
      return demands.map((tags): Opening => ({ tags, count: roomFor(tags) }));
    },
    async submit(job) {
      const place = coming.remote.has(job.key) ? 'remote' : 'local';
      coming[place].delete(job.key);
      flights[place].add(job.key);
      try {
        return await places[place].submit(job);
      } catch (error) {
        flights[place].delete(job.key);
        throw error;
      }
    },
    async recover(job, handle) {
      const place = job.place === 'remote' ? 'remote' : 'local';
      const found = await places[place].recover(job, handle);
      if (found === 'running') flights[place].add(job.key);
      return found;
    },
    async cancel(key) {
      await local.cancel(key);
      await remote.cancel(key);
    },
    async close() {
      await local.close();
      await remote.close();
    },
  };
}
