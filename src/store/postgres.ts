// PostgreSQL through `pg`: a small pool, prepared statements, LISTEN/NOTIFY, whole transactions retried when the server
// restarts, a deadlock is broken or a serialisation fails. A commit whose answer got lost is looked up by its transaction
// number, so that nothing is done twice.
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Durability } from '../core/ports/store.ts';
import { type CommitMark, createCommitMarks } from './commit-marks.ts';
import type { Database, Param, Session, TransactionOptions, TransactionSession } from './database.ts';
import { storeErrors } from './error-codes.ts';
import { createPostgresBell } from './postgres-bell.ts';
import { isAbsent, isRetryable, isUnreachable, postgresError } from './postgres-errors.ts';
import { sharedConnections } from './postgres-looks.ts';
import { later, postgresDialect, postgresSession, sendTogether } from './postgres-session.ts';
import { inOrder, reserveAhead, writingSession } from './postgres-transaction.ts';
import { withoutPassword } from './store-url.ts';

export interface PostgresOptions {
  readonly poolSize?: number;
  /** How long statements are retried while the server cannot be reached. */
  readonly outageWaitMs?: number;
}

const int8 = 20;
const lanes = 2;

/** Plans are made by indexes, as their tables may still be empty then and grow. */
const planByIndexes = 'set enable_seqscan = off; set jit = off';
/**
 * Making a plan takes longer than following it, and the server makes one for every execution of a prepared statement as soon as a table
 * is large. Looks are planned once per connection. Within transactions the server chooses: the plan of an update that was made for an
 * empty table does harm when it has grown.
 */
export const planOnce = `${planByIndexes}; set plan_cache_mode = force_generic_plan`;

/** Connects to a PostgreSQL server (14 or newer). Nothing is sent before the first statement. */
export function openPostgres(url: string, options: PostgresOptions = {}): Database {
  const outageWaitMs = options.outageWaitMs ?? 60_000;
  const where = withoutPassword(url);
  const types = new pg.TypeOverrides();
  types.setTypeParser(int8, Number);
  const settings: pg.PoolConfig = {
    connectionString: url,
    types,
    connectionTimeoutMillis: 10_000,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    application_name: 'varve',
    pipeline: true,
  };
  // A transaction that is under way may need a second connection for a moment, to reserve numbers.
  const writers = new pg.Pool({ ...settings, max: lanes + 1 });
  // Looks have connections of their own, so that many of them never hold up a transaction; one is for those that take long.
  const looking = Math.max(1, (options.poolSize ?? 6) - lanes - 2);
  const readers = new pg.Pool({ ...settings, max: looking + 1 });
  let reached = false;
  for (const [pool, planning] of [
    [writers, planByIndexes],
    [readers, planOnce],
  ] as const) {
    // A connection that breaks while idle is replaced by the pool at its next use.
    pool.on('error', () => {});
    pool.on('connect', (client) => {
      reached = true;
      later(client.query(planning));
    });
  }
  let closed = false;
  const marks = createCommitMarks();
  const direct = postgresSession(sharedConnections(readers, looking), where);
  const bell = createPostgresBell(url, (sql, params) => direct.all(sql, params));

  /** Repeats what failed only because the server was away or another transaction stood in the way. */
  async function patiently<T>(action: () => Promise<T>, doing: string): Promise<T> {
    let deadline: number | undefined;
    for (let tries = 0; ; tries++) {
      try {
        return await action();
      } catch (error) {
        deadline ??= Date.now() + outageWaitMs;
        if (!reached && isAbsent(error)) {
          throw storeErrors.STORE_CANNOT_OPEN.with({ cause: error }, where, (error as Error).message);
        }
        const again = isRetryable(error) || (isUnreachable(error) && !closed);
        if (!again || Date.now() > deadline) throw postgresError(error, where, doing);
        await sleep(Math.min(500, 2 ** Math.min(tries, 9)) * (0.5 + Math.random()));
      }
    }
  }

  /** Gives a connection to the body and takes it back, or throws it away when it broke meanwhile. */
  async function withClient<T>(body: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    const client = await writers.connect();
    let broken: Error | undefined;
    const onError = (error: Error): void => {
      broken = error;
    };
    client.on('error', onError);
    try {
      return await body(client);
    } catch (error) {
      if (isUnreachable(error)) broken = error as Error;
      else await client.query('rollback').catch(onError);
      throw error;
    } finally {
      client.off('error', onError);
      client.release(broken);
    }
  }

  async function once<T>(
    body: (session: TransactionSession) => Promise<T>,
    { durable, parts = 1, repeatable = false }: TransactionOptions,
  ): Promise<T> {
    let xid = '';
    let done: { readonly result: T } | undefined;
    const mark = repeatable ? undefined : marks.next();
    try {
      return await withClient(async (client) => {
        // The connection is pipelined: `begin` travels with the first statement, the last ones with the commit.
        sendTogether(client);
        const begun = later(begin(client, mark, durable));
        const { session, unanswered, use } = writingSession(client, where);
        use(reserveAhead(reserve, parts));
        unanswered.splice(0, unanswered.length, begun);
        const result = await body(session).catch(async (error: unknown) => {
          await inOrder(unanswered);
          throw error;
        });
        xid = await begun;
        done = { result };
        const committed = later(client.query('commit'));
        await inOrder(unanswered);
        // A transaction of which a statement failed is ended by its commit, too, without an error.
        if ((await committed).command !== 'COMMIT') throw new Error('the server undid the transaction');
        return result;
      });
    } catch (error) {
      if (done && mark && isUnreachable(error) && (await wasCommitted(xid, mark))) return done.result;
      throw error;
    } finally {
      if (mark) marks.release(mark);
    }
  }

  /** What became of a commit whose answer did not arrive. */
  async function wasCommitted(xid: string, mark: CommitMark): Promise<boolean> {
    const look = <R>(sql: string, params: readonly Param[]): Promise<R[]> =>
      patiently(() => direct.all<R>(sql, params), sql);
    for (;;) {
      // A server that crashed may give the number of a transaction that it forgot to another: only the mark tells.
      const sql = `select case when $1::xid8 < pg_snapshot_xmax(pg_current_snapshot())
        then pg_xact_status($1::xid8) end as status`;
      const [row] = await look<{ status: string | null }>(sql, [xid]);
      if (row?.status === 'aborted') return false;
      if (row?.status !== 'in progress') break;
      await sleep(20);
    }
    const [row] = await look<{ number: number }>('select number from commit_mark where client = $1', [
      mark.client,
    ]);
    return row !== undefined && row.number >= mark.number;
  }

  /** In a transaction of its own, so that nobody waits for the counter until the caller's transaction ends. */
  async function reserve(counter: string, count: number): Promise<number> {
    const rows = await withClient(async (client) => {
      const update = `update counter set value = value + ${count} where name = '${counter}' returning value`;
      const all = await client.query(`begin; set local synchronous_commit = off; ${update}; commit`);
      return (all as unknown as pg.QueryResult<{ value: number }>[])[2]?.rows;
    });
    return (rows?.[0]?.value ?? 0) - count + 1;
  }

  const patient = (session: Omit<Session, 'reserve'>): Session => ({
    dialect: postgresDialect,
    all: (sql, params) => patiently(() => session.all(sql, params), sql),
    insert: (table, columns, rows, insertOptions) =>
      patiently(() => session.insert(table, columns, rows, insertOptions), table),
    append: (table, columns, rows) => patiently(() => session.append(table, columns, rows), table),
    settledId: (table) => patiently(() => session.settledId(table), table),
    each: (statement, rows) => patiently(() => session.each(statement, rows), statement.table),
    reserve: (counter, count) => patiently(() => reserve(counter, count), 'reserve'),
  });

  return {
    dialect: postgresDialect,
    where,
    lanes,
    reader: patient(direct),
    surveyor: patient(postgresSession(readers, where)),
    transaction: (body, options: TransactionOptions) => patiently(() => once(body, options), 'transaction'),
    snapshot: <T>(body: (session: Session) => Promise<T>) =>
      withClient(async (client) => {
        await client.query('begin isolation level repeatable read read only');
        const result = await body({ ...postgresSession(client, where), reserve });
        await client.query('commit');
        return result;
      }),
    notify: (topics) => bell.ring(topics),
    listen: (listener) => bell.listen(listener),
    settled: () => Promise.resolve(),
    exclusively: (name, body) =>
      patiently(
        () =>
          withClient(async (client) => {
            const key = createHash('sha256').update(`varve ${name}`).digest().readBigInt64BE(0).toString();
            await client.query('select pg_advisory_lock($1)', [key]);
            try {
              return await body();
            } finally {
              await client.query('select pg_advisory_unlock($1)', [key]);
            }
          }),
        name,
      ),
    async close() {
      if (closed) return;
      closed = true;
      await bell.close();
      if (reached) await writers.query(marks.sweep).catch(() => {});
      await Promise.all([writers.end(), readers.end()]);
    },
  };
}

/** Begins a transaction; if a mark is given, sets it and returns the number of the transaction. */
async function begin(
  client: pg.PoolClient,
  mark: CommitMark | undefined,
  durable: Durability,
): Promise<string> {
  const statements = ['begin', ...(durable ? [] : ['set local synchronous_commit = off'])];
  if (mark) statements.push(mark.write);
  const results = (await client.query(statements.join('; '))) as unknown as pg.QueryResult<{
    number: string;
  }>[];
  return (mark && results.at(-1)?.rows[0]?.number) ?? '';
}
