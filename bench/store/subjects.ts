// The stores that are measured: filled once, of several sizes, on both databases. In a folder that stays, a filled store is used again by
// the next run, so that an hour of filling need not be part of a measurement.
import { createReadStream, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import pg from 'pg';
import { startPrivatePostgres } from '../../scripts/private-postgres.ts';
import type { Store } from '../../src/core/ports/store.ts';
import type { Database } from '../../src/store/database.ts';
import { migrate } from '../../src/store/migrate.ts';
import { openDatabase } from '../../src/store/open-database.ts';
import { createStore } from '../../src/store/store.ts';
import { fillStore, type StoreSize } from '../../test/store/fill-store.ts';
import type { Rates } from './measures.ts';

/** A filled store, open. */
export interface Subject {
  readonly database: Database;
  readonly size: StoreSize;
  readonly url: string;
  readonly store: Store;
  readonly rounds: Rates[];
}

/** Where stores of one database lie. */
export interface Place {
  /** The URL of the store of this name, if it is there. */
  find(name: string): Promise<string | undefined>;
  create(name: string): Promise<string>;
  /** The store has this name from now on; nobody has it open. */
  rename(name: string, to: string): Promise<void>;
}

export interface Places {
  readonly sqlite: Place;
  /** Undefined when PostgreSQL is not installed or not wanted. */
  readonly postgres: Place | undefined;
  close(): Promise<void>;
}

/** In a folder that stays, or in one that goes at the end; without a server if it is not wanted. */
export async function openPlaces(kept: string | undefined, withPostgres: boolean): Promise<Places> {
  const folder = kept ?? mkdtempSync(join(tmpdir(), 'varve-bench-store-'));
  mkdirSync(folder, { recursive: true });
  // As the manual of PostgreSQL advises: a quarter of the memory.
  const sharedBuffersMb = Math.max(128, Math.floor(totalmem() / 4 / 2 ** 20));
  const options = {
    durable: true,
    settings: {
      shared_buffers: `${sharedBuffersMb}MB`,
      maintenance_work_mem: '512MB',
      max_wal_size: '8GB',
    },
    ...(kept === undefined ? {} : { folder: join(folder, 'postgres') }),
  };
  const server = withPostgres ? await startPrivatePostgres(options) : undefined;
  return {
    sqlite: sqlitePlace(folder),
    postgres: server && postgresPlace(server.url),
    async close() {
      await server?.stop();
      if (kept === undefined) rmSync(folder, { recursive: true, force: true });
    },
  };
}

function sqlitePlace(folder: string): Place {
  const path = (name: string): string => join(folder, `${name}.db`);
  return {
    find: async (name) => (existsSync(path(name)) ? path(name) : undefined),
    async create(name) {
      for (const ending of ['', '-wal', '-shm', '-bell'])
        rmSync(path(name) + ending, { recursive: true, force: true });
      return path(name);
    },
    async rename(name, to) {
      renameSync(path(name), path(to));
      rmSync(`${path(name)}-bell`, { recursive: true, force: true });
    },
  };
}

function postgresPlace(serverUrl: string): Place {
  const urlOf = (name: string): string => {
    const url = new URL(serverUrl);
    url.pathname = `/${name}`;
    return url.href;
  };
  const ask = async (sql: string): Promise<unknown[]> => {
    const client = new pg.Client({ connectionString: serverUrl });
    await client.connect();
    try {
      return (await client.query(sql)).rows;
    } finally {
      await client.end();
    }
  };
  return {
    async find(name) {
      const found = await ask(`select 1 from pg_database where datname = '${name}'`);
      return found.length > 0 ? urlOf(name) : undefined;
    },
    async create(name) {
      await ask(`drop database if exists ${name}`);
      await ask(`create database ${name}`);
      return urlOf(name);
    },
    async rename(name, to) {
      await ask(`alter database ${name} rename to ${to}`);
    },
  };
}

export async function open(url: string, size: StoreSize): Promise<Subject> {
  const database = await openDatabase(url);
  await migrate(database, url, 0);
  return { database, size, url, store: createStore(database, url), rounds: [] };
}

/** The URL of a filled store of this size; one that is not there yet is filled, and has its name only when it is complete. */
export async function filled(place: Place, size: StoreSize, say: (text: string) => void): Promise<string> {
  const name = `d${size.datasets}_a${size.actions}`;
  const found = await place.find(name);
  if (found !== undefined) return found;
  const url = await place.create('filling');
  const began = performance.now();
  const subject = await open(url, size);
  await fillStore(subject.database, size);
  await settle(subject.database);
  await subject.store.close();
  await place.rename('filling', name);
  const seconds = ((performance.now() - began) / 1000).toFixed(0);
  say(
    `filled ${subject.database.dialect.name} with ${size.datasets.toLocaleString('en')} datasets in ${seconds} s`,
  );
  return (await place.find(name)) as string;
}

/** What a bulk load leaves to be done later is done now. */
async function settle({ dialect, reader }: Database): Promise<void> {
  const statements =
    dialect.name === 'sqlite' ? ['pragma wal_checkpoint(truncate)'] : ['vacuum analyze', 'checkpoint'];
  for (const statement of statements) await reader.all(statement);
}

/** The data is brought into memory: the cost of operations counts, not that of disks. */
export async function warm({ database, url }: Subject): Promise<void> {
  await settle(database);
  if (database.dialect.name === 'sqlite') {
    await finished(createReadStream(url).resume());
    return;
  }
  await database.reader.all('create extension if not exists pg_prewarm');
  await database.reader.all(
    `select pg_prewarm(oid) from pg_class where relname like 'action%' or relname like 'edge%'
      or relname in ('dataset', 'dataset_pkey', 'dataset_signature')`,
  );
}
