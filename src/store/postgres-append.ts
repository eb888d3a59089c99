// Tables that are read like a file that grows: rows in id order from a place onwards, none of them missed. PostgreSQL gives out an id
// before the commit, so a row may appear behind one that was read already. Therefore a writer takes a shared advisory lock
// whose number is the last id given out before its own; a reader stops before the lowest of these. Nobody waits for a
// lock, and the time between an append and its commit is short, so a reader is rarely held up.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Session } from './database.ts';

/** Tells these locks from other advisory locks; the lower 48 bits are the id. */
const lockClass = 118;
const lookAgainMs = 2;
const looks = 25;

function lastId(table: string): string {
  return `(select last_value - (not is_called)::int from ${table}_id_seq)`;
}

/** Announces that rows with higher ids than any so far are about to be written. Comes in the same transaction before them. */
export function announceAppend(table: string): string {
  return `select pg_advisory_xact_lock_shared((${lockClass}::bigint << 48) | ${lastId(table)})`;
}

/** The highest id up to which every row is there or never will be; what was committed before the call is included. */
export async function settledId(session: Pick<Session, 'all'>, table: string): Promise<number> {
  const [last] = await session.all<{ id: number }>(`select ${lastId(table)} as id`);
  const wanted = last?.id ?? 0;
  for (let look = 1; ; look++) {
    const [lowest] = await session.all<{ id: number | null }>(
      `select min(((classid::bigint & 65535) << 32) | objid::bigint) as id from pg_locks
        where locktype = 'advisory' and objsubid = 1 and (classid::bigint >> 16) = ${lockClass} and granted
          and pid <> pg_backend_pid() and database = (select oid from pg_database where datname = current_database())`,
    );
    const id = lowest?.id ?? wanted;
    if (id >= wanted || look === looks) return Math.min(id, wanted);
    await sleep(lookAgainMs);
  }
}
