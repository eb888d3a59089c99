// The store: opens a database by URL, brings its schema up to date, and offers it to the engine as the `Store` port.
import type { Store, StoreTransaction, StoreView, Topic } from '../core/ports/store.ts';
import type { Database, Session } from './database.ts';
import { storeErrors } from './error-codes.ts';
import { migrate } from './migrate.ts';
import { leaseActions } from './queries/lease-actions.ts';
import { move } from './queries/move.ts';
import { readActions } from './queries/read-actions.ts';
import { readDatasets } from './queries/read-datasets.ts';
import { readEdges } from './queries/read-edges.ts';
import { readJournal } from './queries/read-journal.ts';
import { readRuns } from './queries/read-runs.ts';
import { writeDatasets } from './queries/write-datasets.ts';
import { writeEdges } from './queries/write-edges.ts';
import { writeRows } from './queries/write-rows.ts';
import { createWriteQueue } from './write-queue.ts';

export interface StoreOptions {
  /** `full`: what was reported survives power loss; `normal`: only the death of processes. */
  readonly durability?: 'full' | 'normal';
  readonly poolSize?: number;
  /** How long statements wait for locks or for a server that is away. */
  readonly waitMs?: number;
  readonly now?: () => number;
}

/** Opens the database behind a store URL without touching its schema. */
export async function openDatabase(url: string, options: StoreOptions = {}): Promise<Database> {
  // Each driver is loaded only where it is used: a process that starts for one small run pays for no other.
  if (/^postgres(ql)?:\/\//.test(url)) {
    const { openPostgres } = await import('./postgres.ts');
    return openPostgres(url, {
      ...(options.poolSize === undefined ? {} : { poolSize: options.poolSize }),
      ...(options.waitMs === undefined ? {} : { outageWaitMs: options.waitMs }),
    });
  }
  if (/^[a-z][a-z0-9+.-]+:/i.test(url) && !url.startsWith('sqlite:')) throw storeErrors.STORE_BAD_URL(url);
  const path = url.replace(/^sqlite:(\/\/(?=\/))?/, '');
  if (path === '') throw storeErrors.STORE_BAD_URL(url);
  const { openSqlite } = await import('./sqlite.ts');
  return openSqlite(path, options.waitMs === undefined ? {} : { lockWaitMs: options.waitMs });
}

/** Opens a store and applies missing migrations. */
export async function openStore(url: string, options: StoreOptions = {}): Promise<Store> {
  const database = await openDatabase(url, options);
  const where = url.replace(/\/\/([^:@/]*):[^@/]*@/, '//$1@');
  try {
    await migrate(database, where, (options.now ?? Date.now)());
  } catch (error) {
    await database.close();
    throw error;
  }
  return createStore(database, where, options);
}

/** The store over a database whose schema is up to date. */
export function createStore(database: Database, where: string, options: StoreOptions = {}): Store {
  const queue = createWriteQueue(database);
  const alwaysLazy = options.durability === 'normal';
  return {
    where,
    dialect: database.dialect.name,
    view: createView(database.reader),
    write: (body, { durable = true } = {}) =>
      queue.run((session, topics) => body(createTransaction(session, topics)), durable && !alwaysLazy),
    listen: (listener) => database.listen((topic) => listener(topic as Topic)),
    async close() {
      await queue.drained();
      await database.close();
    },
  };
}

function createView(session: Session): StoreView {
  return {
    ...readRuns(session),
    ...readActions(session),
    ...readDatasets(session),
    ...readEdges(session),
    ...readJournal(session),
  };
}

const views = new WeakMap<Session, Omit<StoreTransaction, 'notify'>>();

function createTransaction(session: Session, topics: Set<string>): StoreTransaction {
  let statements = views.get(session);
  if (!statements) {
    statements = {
      ...createView(session),
      ...leaseActions(session),
      ...writeRows(session),
      ...writeEdges(session),
      ...writeDatasets(session),
      move: (machine, event, moves, context) => move(session, machine, event, moves, context),
    };
    views.set(session, statements);
  }
  return { ...statements, notify: (topic) => topics.add(topic) };
}
