// The session of transactions on one connection: statements whose answers nobody waits for before the commit, numbers that are reserved for all
// parts of a group at once, and parts that can be undone alone. One for each connection, because what others make for a session, such
// as the store's transaction over it, then serves many transactions.
import type pg from 'pg';
import type { Outcome, Session, TransactionSession } from './database.ts';
import { isRetryable, isUnreachable, postgresError } from './postgres-errors.ts';
import { postgresSession } from './postgres-session.ts';

export interface WritingSession {
  readonly session: TransactionSession;
  /** What was sent in the transaction that is under way and nobody has waited for. */
  readonly unanswered: Promise<unknown>[];
  /** From now on numbers are reserved in this way. */
  use(reserve: Session['reserve']): void;
}

const sessions = new WeakMap<pg.PoolClient, WritingSession>();

/** The session of this connection; its transactions come one after the other. */
export function writingSession(client: pg.PoolClient, where: string): WritingSession {
  let known = sessions.get(client);
  if (!known) sessions.set(client, (known = create(client, where)));
  return known;
}

function create(client: pg.PoolClient, where: string): WritingSession {
  const unanswered: Promise<unknown>[] = [];
  let reserve: Session['reserve'] = () => Promise.reject(new Error('no transaction is under way'));
  return {
    session: {
      ...postgresSession(client, where, unanswered),
      reserve: (counter, count) => reserve(counter, count),
      attempt: attemptOn(client, where, unanswered),
    },
    unanswered,
    use(wanted) {
      reserve = wanted;
    },
  };
}

/** Reserves for all parts of a transaction what the first of them asks for: the others, being alike, need not ask again. */
export function reserveAhead(reserve: Session['reserve'], parts: number): Session['reserve'] {
  const blocks = new Map<string, { next: number; left: number; served: number }>();
  return async (counter, count) => {
    const block = blocks.get(counter) ?? { next: 0, left: 0, served: 0 };
    blocks.set(counter, block);
    if (block.left < count) {
      const wanted = count * Math.max(1, parts - block.served);
      block.next = await reserve(counter, wanted);
      block.left = wanted;
    }
    const first = block.next;
    block.next += count;
    block.left -= count;
    block.served += 1;
    return first;
  };
}

/** Waits for one answer after the other: what went wrong first is why the rest did. */
export async function inOrder(answers: readonly Promise<unknown>[]): Promise<void> {
  for (const answer of answers) await answer;
}

function attemptOn(
  client: pg.PoolClient,
  where: string,
  unanswered: Promise<unknown>[],
): TransactionSession['attempt'] {
  return async <T>(body: () => Promise<T>): Promise<Outcome<T>> => {
    await inOrder(unanswered.splice(0));
    await client.query('savepoint part');
    try {
      const value = await body().catch(async (error: unknown) => {
        await inOrder(unanswered.splice(0));
        throw error;
      });
      await inOrder(unanswered.splice(0));
      await client.query('release savepoint part');
      return { value };
    } catch (error) {
      await Promise.allSettled(unanswered.splice(0));
      if (isUnreachable(error) || isRetryable(error)) throw error;
      await client.query('rollback to savepoint part');
      await client.query('release savepoint part');
      return { error: postgresError(error, where, 'write') };
    }
  };
}
