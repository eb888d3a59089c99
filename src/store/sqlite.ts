// SQLite through node:sqlite: one writing connection, one reading connection (WAL), and a bell folder that wakes other
// processes on the same file. Locks of other processes are waited for asynchronously, so the event loop never
// stands still for longer than one short busy time-out.
import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ColumnType, Database, Dialect, Param, Session, TransactionOptions } from './database.ts';
import { storeErrors } from './error-codes.ts';
import { openBell } from './sqlite-bell.ts';
import { isBusy, sqliteError } from './sqlite-errors.ts';

const dialect: Dialect = {
  name: 'sqlite',
  types: { key: 'integer primary key', int: 'integer', real: 'real' },
  clustered: ' without rowid',
  lock: '',
  lockOrSkip: '',
  rows: (param, columns) =>
    `(select ${Object.keys(columns)
      .map((name) => `value->>'${name}' as ${name}`)
      .join(', ')} from json_each(${param}))`,
  list: (param) => `(select value from json_each(${param}))`,
  greatest: (a, b) => `max(${a}, ${b})`,
};

export interface SqliteOptions {
  /** How long a transaction waits for another process's lock. */
  readonly lockWaitMs?: number;
  readonly readOnly?: boolean;
}

/** Opens (and creates) the database file; `:memory:` gives a private store for tests. */
export function openSqlite(path: string, options: SqliteOptions = {}): Database {
  const lockWaitMs = options.lockWaitMs ?? 60_000;
  const inMemory = path === ':memory:';
  const open = (readOnly: boolean): DatabaseSync => {
    try {
      if (!inMemory && !readOnly) mkdirSync(dirname(path), { recursive: true });
      const connection = new DatabaseSync(path, { timeout: 20, readOnly });
      connection.exec('pragma temp_store = memory; pragma cache_size = -32000; pragma mmap_size = 268435456');
      if (!readOnly && !inMemory) retryBusy(() => connection.exec('pragma journal_mode = wal'));
      return connection;
    } catch (error) {
      throw sqliteError(error, path, 'open');
    }
  };
  if (options.readOnly && !inMemory && !existsSync(path))
    throw storeErrors.STORE_CANNOT_OPEN(path, 'no such file');
  const writer = open(options.readOnly ?? false);
  const readerConnection = inMemory ? writer : open(options.readOnly ?? false);
  const bell = inMemory || options.readOnly ? undefined : openBell(`${path}-bell`);
  const listeners = new Set<(topic: string) => void>();
  const tell = (topic: string): void => {
    for (const listener of listeners) listener(topic);
  };
  bell?.listen(() => tell('*'));

  const session = sqliteSession(writer, path);
  const reader = inMemory ? session : sqliteSession(readerConnection, path);
  let synchronous = '';
  let tail: Promise<unknown> = Promise.resolve();
  let closed = false;

  async function begin(): Promise<void> {
    const deadline = Date.now() + lockWaitMs;
    for (;;) {
      try {
        writer.exec('begin immediate');
        return;
      } catch (error) {
        if (!isBusy(error)) throw sqliteError(error, path, 'begin');
        if (Date.now() > deadline) {
          throw storeErrors.STORE_UNAVAILABLE(
            path,
            `another process held its lock for ${lockWaitMs / 1000} s`,
          );
        }
        await sleep(1 + Math.random() * 4);
      }
    }
  }

  async function once<T>(body: (session: Session) => Promise<T>, durable: boolean): Promise<T> {
    if (closed) throw storeErrors.STORE_UNAVAILABLE(path, 'it was closed');
    const wanted = durable ? 'full' : 'normal';
    if (synchronous !== wanted && !inMemory) {
      writer.exec(`pragma synchronous = ${wanted}`);
      synchronous = wanted;
    }
    await begin();
    try {
      const result = await body(session);
      writer.exec('commit');
      return result;
    } catch (error) {
      if (writer.isTransaction) writer.exec('rollback');
      throw sqliteError(error, path, 'write');
    }
  }

  return {
    dialect,
    lanes: 1,
    reader,
    transaction<T>(body: (session: Session) => Promise<T>, { durable }: TransactionOptions): Promise<T> {
      const result = tail.then(() => once(body, durable));
      tail = result.catch(() => {});
      return result;
    },
    notify(topics) {
      if (topics.size === 0) return;
      for (const topic of topics) tell(topic);
      bell?.ring();
    },
    listen(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    exclusively: (_name, body) => body(),
    async close() {
      await tail;
      if (closed) return;
      closed = true;
      bell?.close();
      if (readerConnection !== writer) readerConnection.close();
      writer.close();
    },
  };
}

function sqliteSession(connection: DatabaseSync, path: string): Session {
  const statements = new Map<string, StatementSync>();
  const prepare = (sql: string): StatementSync => {
    let statement = statements.get(sql);
    if (!statement) {
      statement = connection.prepare(sql.replace(/\$(\d+)/g, '?$1'));
      statements.set(sql, statement);
    }
    return statement;
  };
  return {
    dialect,
    async all<T>(sql: string, params: readonly Param[] = []): Promise<T[]> {
      try {
        return prepare(sql).all(...params) as T[];
      } catch (error) {
        throw sqliteError(error, path, sql);
      }
    },
    async insert(
      table: string,
      columns: Readonly<Record<string, ColumnType>>,
      rows: readonly (readonly Param[])[],
      options: { readonly ignoreExisting?: boolean } = {},
    ): Promise<void> {
      const names = Object.keys(columns);
      const statement = prepare(
        `insert into ${table} (${names.join(', ')}) values (${names.map((_, i) => `$${i + 1}`).join(', ')})${
          options.ignoreExisting ? ' on conflict do nothing' : ''
        }`,
      );
      try {
        for (const row of rows) statement.run(...row);
      } catch (error) {
        throw sqliteError(error, path, `insert into ${table}`);
      }
    },
  };
}

/** Switching to WAL needs a short exclusive lock that SQLite's busy handler does not wait for. */
function retryBusy(action: () => void): void {
  for (let tries = 0; ; tries++) {
    try {
      action();
      return;
    } catch (error) {
      if (!isBusy(error) || tries > 500) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
    }
  }
}
