// Which waiting worker gets which queued job: a pure function. Jobs come in the order in which they should start; each goes to the worker
// that has waited longest among those that can run it.
import type { RemoteJobRow } from '../../core/ports/remote-jobs.ts';
import { offersTags } from '../../core/tags.ts';

/** A worker that waits, and what it has room for. */
export interface Claimant {
  readonly workerId: number;
  readonly tags: ReadonlySet<string>;
  readonly sharedStorage: boolean;
  readonly millicores: number;
  readonly memoryBytes: number;
  readonly freeMillicores: number;
  readonly freeMemoryBytes: number;
  readonly most: number;
}

/** A job that is larger than a machine runs alone on it, as the local back-end has it. */
export function matchJobs<
  J extends Pick<RemoteJobRow, 'key' | 'tags' | 'travels' | 'millicores' | 'memoryBytes'>,
>(jobs: readonly J[], claimants: readonly Claimant[]): Map<number, J[]> {
  const rooms = claimants.map((claimant) => ({
    claimant,
    left: claimant.most,
    millicores: claimant.freeMillicores,
    memoryBytes: claimant.freeMemoryBytes,
  }));
  const matched = new Map<number, J[]>();
  for (const job of jobs) {
    const room = rooms.find(({ claimant, left, millicores, memoryBytes }) => {
      const cores = Math.min(job.millicores, claimant.millicores);
      const memory = Math.min(job.memoryBytes, claimant.memoryBytes);
      return (
        left > 0 &&
        cores <= millicores &&
        memory <= memoryBytes &&
        (job.travels === 1 || claimant.sharedStorage) &&
        offersTags(claimant.tags, job.tags)
      );
    });
    if (!room) continue;
    const { claimant } = room;
    room.left -= 1;
    room.millicores -= Math.min(job.millicores, claimant.millicores);
    room.memoryBytes -= Math.min(job.memoryBytes, claimant.memoryBytes);
    const taken = matched.get(claimant.workerId);
    if (taken) taken.push(job);
    else matched.set(claimant.workerId, [job]);
  }
  return matched;
}
