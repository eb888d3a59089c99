// Cleans up what crashes and failures left on disk: the scratch of attempts that have ended or were never committed, and stored files that
// no dataset row stands for. Safe while managers run, and may be repeated or interrupted: everything is judged by rows that are read
// after the disk was listed, so what has just been made is never taken for garbage.
import { liveAttemptStates } from '../core/machines/attempt.ts';
import type { AttemptRow, DatasetRow } from '../core/rows.ts';
import type { EngineContext } from './engine-context.ts';

export interface GarbageOptions {
  /** Scratch of attempts that ended less than this ago stays: what fences a late hand-over is in it. */
  readonly graceMs: number;
}

export interface Garbage {
  /** Attempts of which everything, or everything but the logs, was removed. */
  readonly attempts: readonly string[];
  /** Locations of stored files that were removed. */
  readonly locations: readonly string[];
}

const batchSize = 500;
const storedStates: ReadonlySet<string> = new Set([
  'STORED',
  'LEAF',
  'STORED_TO_DELETE',
  'PROCESSING',
  'DELETING',
]);

export async function collectGarbage(context: EngineContext, options: GarbageOptions): Promise<Garbage> {
  // Attempts are listed after locations: a location that appears later than that cannot be in the first list.
  const locations = await listed(context.storage.locations());
  const keys = await listed(context.storage.attempts());
  const attempts: string[] = [];
  const published = new Set<string>();
  for (const batch of batches(keys)) {
    const rows = new Map((await context.store.view.attemptsByKey(batch)).map((row) => [row.key, row]));
    for (const key of batch) if (isLive(rows.get(key))) published.add(context.storage.locationOf(key));
    attempts.push(...(await discard(context, batch, rows, options)));
  }
  const removed: string[] = [];
  for (const batch of batches(locations.filter((location) => !published.has(location)))) {
    const rows = await context.store.view.datasetsByLocation(batch);
    const referenced = new Set(rows.filter(isStored).map((row) => row.location));
    for (const location of batch) {
      if (referenced.has(location)) continue;
      await context.storage.remove(location);
      removed.push(location);
    }
  }
  return { attempts, locations: removed };
}

async function discard(
  context: EngineContext,
  keys: readonly string[],
  rows: ReadonlyMap<string, AttemptRow>,
  { graceMs }: GarbageOptions,
): Promise<string[]> {
  const before = context.clock.now() - graceMs;
  const unknown = keys.filter((key) => !rows.has(key));
  const dead = new Set(await neverCommitted(context, unknown));
  const discarded: string[] = [];
  for (const key of keys) {
    const row = rows.get(key);
    const ended = row !== undefined && !isLive(row) && (row.endedAt ?? 0) <= before;
    if (!ended && !dead.has(key)) continue;
    await context.storage.discardAttempt(key, { keepLogs: ended });
    discarded.push(key);
  }
  return discarded;
}

/** Spaces that were prepared for an attempt that can no longer be committed under this key. */
async function neverCommitted(context: EngineContext, keys: readonly string[]): Promise<string[]> {
  if (keys.length === 0) return [];
  const ids = new Map(keys.map((key) => [key, Number.parseInt(key, 10)]));
  const actions = new Map(
    (await context.store.view.actions([...new Set(ids.values())].filter(Number.isInteger))).map((row) => [
      row.id,
      row,
    ]),
  );
  return keys.filter((key) => {
    const state = actions.get(ids.get(key) as number)?.state;
    // The manager that has the action in its hands may be preparing this very attempt.
    return state !== 'PROCESSING' && state !== 'STAGING';
  });
}

function isLive(row: AttemptRow | undefined): boolean {
  return row !== undefined && liveAttemptStates.some((state) => state === row.state);
}

function isStored(row: DatasetRow): boolean {
  return storedStates.has(row.state);
}

async function listed(names: AsyncIterable<string>): Promise<string[]> {
  const all: string[] = [];
  for await (const name of names) all.push(name);
  return all;
}

function* batches(names: readonly string[]): Iterable<readonly string[]> {
  for (let start = 0; start < names.length; start += batchSize) yield names.slice(start, start + batchSize);
}
