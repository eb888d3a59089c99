// Marks by which a client tells after a lost connection whether its commit took place: a row per client that every transaction raises
// as its first act. A transaction under way has a client name of its own, so that two never wait for each other's row.
import { randomUUID } from 'node:crypto';

export interface CommitMark {
  readonly client: string;
  readonly number: number;
  /** The statement that sets the mark and returns the `number` of the transaction. */
  readonly write: string;
}

export interface CommitMarks {
  /** Removes the marks of this client and those of clients long gone; for the end. */
  readonly sweep: string;
  next(): CommitMark;
  /** Says that the transaction has ended, one way or the other. */
  release(mark: CommitMark): void;
}

const keepMs = 7 * 24 * 3600 * 1000;

export function createCommitMarks(): CommitMarks {
  const prefix = randomUUID();
  const free: { readonly client: string; number: number }[] = [];
  let clients = 0;
  return {
    sweep: `delete from commit_mark where client like '${prefix}%' or at < ${Date.now() - keepMs}`,
    next() {
      const { client, number } = free.pop() ?? { client: `${prefix}-${++clients}`, number: 0 };
      const values = `'${client}', ${number + 1}, ${Date.now()}`;
      return {
        client,
        number: number + 1,
        write: `insert into commit_mark (client, number, at) values (${values})
          on conflict (client) do update set number = excluded.number, at = excluded.at
          returning pg_current_xact_id()::text as number`,
      };
    },
    release: ({ client, number }) => free.push({ client, number }),
  };
}
