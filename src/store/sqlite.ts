// SQLite through node:sqlite: one writing connection, one reading connection (WAL), and a bell folder that wakes other
// processes on the same file. Locks of other processes are waited for asynchronously, so the event loop never
// stands still for longer than one short busy time-out.
import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database, Session, TransactionOptions, TransactionSession } from './database.ts';
import { storeErrors } from './error-codes.ts';
import { type Bell, openBell } from './sqlite-bell.ts';
import { isBusy, sqliteError } from './sqlite-errors.ts';
import { openLogFlush } from './sqlite-flush.ts';
import { sqliteDialect, sqliteSession } from './sqlite-session.ts';

export interface SqliteOptions {
  /** How long a transaction waits for another process's lock. */
  readonly lockWaitMs?: number;
  /** Looks only: creates nothing, so that it works on a read-only folder. */
  readonly readOnly?: boolean;
}

const busyTimeoutMs = 20;
const pageCacheKiB = 64_000;
/** Enough for the upper pages of every index; a survey comes by each of the others once. */
const surveyCacheKiB = 8_000;
/** The most that SQLite allows. A page in the map costs neither a call nor a copy: a look-up among a million takes half the time. */
const mappedBytes = 0x7fff_0000;
/** Log pages after which a commit moves them into the file; larger means fewer flushes and fewer pages written twice. */
const checkpointPages = 4_000;

/** Opens (and creates) the database file; `:memory:` gives a private store for tests. */
export function openSqlite(path: string, options: SqliteOptions = {}): Database {
  const lockWaitMs = options.lockWaitMs ?? 60_000;
  const readOnly = options.readOnly ?? false;
  const inMemory = path === ':memory:';
  if (readOnly && !inMemory && !existsSync(path)) throw storeErrors.STORE_CANNOT_OPEN(path, 'no such file');
  const writer = connect(path, readOnly);
  const readerConnection = inMemory ? writer : connect(path, readOnly);
  const bell = inMemory || readOnly ? undefined : openBellOf(path);
  const log = inMemory || readOnly ? undefined : openLogFlush(`${path}-wal`);
  const listeners = new Set<(topic: string) => void>();
  const tell = (topic: string): void => {
    for (const listener of listeners) listener(topic);
  };
  bell?.listen(tell);

  const session = sqliteSession(writer, path);
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

  async function once<T>(body: (session: TransactionSession) => Promise<T>): Promise<T> {
    if (closed) throw storeErrors.STORE_UNAVAILABLE(path, 'it was closed');
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

  function serialised<T>(action: () => Promise<T>): Promise<T> {
    const result = tail.then(action);
    tail = result.catch(() => {});
    return result;
  }

  const apart = sqliteSession(readerConnection, path);
  // In memory there is one connection: a look waits until no transaction is under way. Otherwise the writing connection answers when
  // it is free, because it has in memory what it wrote; another one would read that again after every commit.
  const reader: Session = {
    ...apart,
    all: (sql, params) =>
      inMemory
        ? serialised(() => session.all(sql, params))
        : (writer.isTransaction ? apart : session).all(sql, params),
  };

  // Opened when something is surveyed for the first time; most processes never do.
  let surveyConnection: DatabaseSync | undefined;
  let surveySession: Session | undefined;
  const survey = (): Session => {
    if (inMemory) return reader;
    if (!surveySession) {
      surveyConnection = connect(path, readOnly);
      surveyConnection.exec(`pragma mmap_size = 0; pragma cache_size = -${surveyCacheKiB}`);
      surveySession = sqliteSession(surveyConnection, path);
    }
    return surveySession;
  };

  return {
    dialect: sqliteDialect,
    where: path,
    // One writes while the log of the one before is flushed.
    lanes: 2,
    reader,
    surveyor: { ...reader, all: async (sql, params) => survey().all(sql, params) },
    async transaction<T>(
      body: (session: TransactionSession) => Promise<T>,
      { durable }: TransactionOptions,
    ): Promise<T> {
      const result = await serialised(() => once(body));
      if (durable === true) {
        await log?.flush().catch((error: Error) => {
          throw storeErrors.STORE_UNAVAILABLE.with({ cause: error }, path, error.message);
        });
      }
      return result;
    },
    async snapshot<T>(body: (session: Session) => Promise<T>): Promise<T> {
      if (inMemory) return serialised(() => body(session));
      const connection = connect(path, true);
      try {
        // The state is fixed by the first look, not by `begin`.
        connection.exec('begin; select count(*) from sqlite_schema');
        return await body(sqliteSession(connection, path));
      } finally {
        connection.close();
      }
    },
    notify(topics) {
      if (topics.size === 0) return;
      for (const topic of topics) tell(topic);
      bell?.ring(topics);
    },
    listen(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    settled: () => log?.settled() ?? Promise.resolve(),
    exclusively: (_name, body) => body(),
    async close() {
      await tail;
      if (closed) return;
      closed = true;
      await log?.close();
      bell?.close();
      if (readerConnection !== writer) readerConnection.close();
      surveyConnection?.close();
      writer.close();
    },
  };
}

function openBellOf(path: string): Bell {
  try {
    return openBell(`${path}-bell`);
  } catch (error) {
    throw sqliteError(error, path, 'open');
  }
}

function connect(path: string, readOnly: boolean): DatabaseSync {
  try {
    if (path !== ':memory:' && !readOnly) mkdirSync(dirname(path), { recursive: true });
    const connection = new DatabaseSync(path, { timeout: busyTimeoutMs, readOnly });
    retryBusy(() => {
      connection.exec(`pragma temp_store = memory; pragma cache_size = -${pageCacheKiB};
        pragma mmap_size = ${mappedBytes}`);
      if (readOnly || path === ':memory:') return;
      connection.exec(`pragma journal_mode = wal; pragma synchronous = normal;
        pragma wal_autocheckpoint = ${checkpointPages}`);
    });
    return connection;
  } catch (error) {
    throw sqliteError(error, path, 'open');
  }
}

/** Switching to WAL takes a short exclusive lock for which SQLite's busy handler does not wait, here or in another process. */
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
