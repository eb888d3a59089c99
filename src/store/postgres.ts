// PostgreSQL through `pg`: a small pool, prepared statements, LISTEN/NOTIFY, whole transactions retried when the server
// restarts, a deadlock is broken or a serialisation fails.
import { createHash, hash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { ColumnType, Database, Dialect, Param, Session, TransactionOptions } from './database.ts';
import { isRetryable, isUnreachable, postgresError } from './postgres-errors.ts';

const arrayType = { int: 'bigint[]', text: 'text[]', real: 'double precision[]' } as const;
const scalarType = { int: 'bigint', text: 'text', real: 'double precision' } as const;
const channel = 'varve';
const int8 = 20;

const dialect: Dialect = {
  name: 'postgres',
  types: { key: 'bigint primary key', int: 'bigint', real: 'double precision' },
  clustered: '',
  lock: ' for update',
  lockOrSkip: ' for update skip locked',
  rows: (param, columns) =>
    `(select * from jsonb_to_recordset(${param}::text::jsonb) as _(${Object.entries(columns)
      .map(([name, type]) => `${name} ${scalarType[type]}`)
      .join(', ')}))`,
  list: (param, type) =>
    `(select value::${scalarType[type]} from jsonb_array_elements_text(${param}::text::jsonb) as _(value))`,
  greatest: (a, b) => `greatest(${a}, ${b})`,
};

export interface PostgresOptions {
  readonly poolSize?: number;
  /** How long statements are retried while the server cannot be reached. */
  readonly outageWaitMs?: number;
}

/** Connects to a PostgreSQL server (14 or newer). Nothing is sent before the first statement. */
export function openPostgres(url: string, options: PostgresOptions = {}): Database {
  const outageWaitMs = options.outageWaitMs ?? 60_000;
  const where = withoutPassword(url);
  const types = new pg.TypeOverrides();
  types.setTypeParser(int8, Number);
  const pool = new pg.Pool({
    connectionString: url,
    max: options.poolSize ?? 6,
    types,
    connectionTimeoutMillis: 10_000,
    idleTimeoutMillis: 30_000,
    application_name: 'varve',
  });
  // A connection that breaks while idle is replaced by the pool at its next use.
  pool.on('error', () => {});
  const listeners = new Set<(topic: string) => void>();
  let listening: Promise<void> | undefined;
  let closed = false;

  async function patiently<T>(action: () => Promise<T>, doing: string): Promise<T> {
    const deadline = Date.now() + outageWaitMs;
    for (let tries = 0; ; tries++) {
      try {
        return await action();
      } catch (error) {
        const again = isRetryable(error) || (isUnreachable(error) && !closed);
        if (!again || Date.now() > deadline) throw postgresError(error, where, doing);
        await sleep(Math.min(1000, 2 ** Math.min(tries, 10)) * (0.5 + Math.random()));
      }
    }
  }

  async function once<T>(body: (session: Session) => Promise<T>, durable: boolean): Promise<T> {
    const client = await pool.connect();
    let broken: Error | undefined;
    const onError = (error: Error): void => {
      broken = error;
    };
    client.on('error', onError);
    try {
      await client.query(durable ? 'begin' : 'begin; set local synchronous_commit = off');
      const result = await body(postgresSession(client));
      await client.query('commit');
      return result;
    } catch (error) {
      if (isUnreachable(error)) broken = error as Error;
      else await client.query('rollback').catch(onError);
      throw error;
    } finally {
      client.off('error', onError);
      client.release(broken);
    }
  }

  async function keepListening(): Promise<void> {
    for (let tries = 0; !closed; tries++) {
      const client = new pg.Client({ connectionString: url, application_name: 'varve listen' });
      try {
        await client.connect();
        const ended = new Promise<void>((resolve) => {
          client.on('error', () => resolve());
          client.on('end', () => resolve());
        });
        client.on('notification', (message) => {
          for (const topic of (message.payload ?? '*').split(' '))
            for (const listener of listeners) listener(topic);
        });
        await client.query(`listen ${channel}`);
        tries = 0;
        stopListening = () => client.end();
        if (closed) await client.end();
        // Something may have been said while nobody listened.
        for (const listener of listeners) listener('*');
        await ended;
      } catch {
        // Polling is the safety net until the server is back.
      }
      if (!closed) await sleep(Math.min(5000, 50 * 2 ** Math.min(tries, 7)), undefined, { ref: false });
    }
  }
  let stopListening: (() => Promise<void>) | undefined;

  const direct = postgresSession(pool);
  return {
    dialect,
    lanes: 2,
    reader: {
      dialect,
      all: (sql, params) => patiently(() => direct.all(sql, params), sql),
      insert: (table, columns, rows, insertOptions) =>
        patiently(() => direct.insert(table, columns, rows, insertOptions), table),
    },
    transaction: (body, { durable }: TransactionOptions) =>
      patiently(() => once(body, durable), 'transaction'),
    notify(topics) {
      if (topics.size === 0 || closed) return;
      // Lost notices cost a poll interval, so an unreachable server is no error here.
      direct.all('select pg_notify($1, $2)', [channel, [...topics].join(' ')]).catch(() => {});
    },
    listen(listener) {
      listeners.add(listener);
      listening ??= keepListening();
      return () => listeners.delete(listener);
    },
    exclusively: (name, body) =>
      patiently(async () => {
        const client = await pool.connect();
        const key = createHash('sha256').update(`varve ${name}`).digest().readBigInt64BE(0).toString();
        try {
          await client.query('select pg_advisory_lock($1)', [key]);
          try {
            return await body();
          } finally {
            await client.query('select pg_advisory_unlock($1)', [key]);
          }
        } finally {
          client.release();
        }
      }, name),
    async close() {
      if (closed) return;
      closed = true;
      await stopListening?.().catch(() => {});
      await pool.end();
    },
  };
}

const statementNames = new Map<string, string>();

/** Equal text has an equal name, so each connection parses a statement once. */
function nameOf(sql: string): string {
  let name = statementNames.get(sql);
  if (!name) statementNames.set(sql, (name = `v${hash('sha1', sql, 'hex').slice(0, 24)}`));
  return name;
}

function postgresSession(client: pg.Pool | pg.PoolClient): Session {
  return {
    dialect,
    async all<T>(sql: string, params: readonly Param[] = []): Promise<T[]> {
      const result = await client.query({ name: nameOf(sql), text: sql, values: params as Param[] });
      return result.rows as T[];
    },
    async insert(
      table: string,
      columns: Readonly<Record<string, ColumnType>>,
      rows: readonly (readonly Param[])[],
      options: { readonly ignoreExisting?: boolean } = {},
    ): Promise<void> {
      const columnNames = Object.keys(columns);
      const casts = Object.values(columns).map((type, i) => `$${i + 1}::${arrayType[type]}`);
      const sql = `insert into ${table} (${columnNames.join(', ')}) select * from unnest(${casts.join(', ')})${
        options.ignoreExisting ? ' on conflict do nothing' : ''
      }`;
      for (let start = 0; start < rows.length; start += 5000) {
        const part = rows.slice(start, start + 5000);
        const values = columnNames.map((_, i) => part.map((row) => row[i] ?? null));
        await client.query({ name: nameOf(sql), text: sql, values });
      }
    },
  };
}

function withoutPassword(url: string): string {
  return url.replace(/\/\/([^:@/]*):[^@/]*@/, '//$1@');
}
