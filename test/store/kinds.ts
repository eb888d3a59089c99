// The databases on which the contract holds. A kind opens a store of its own for a test and removes it afterwards.
import { execFileSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import type { Store } from '../../src/core/ports/store.ts';
import type { Database } from '../../src/store/database.ts';
import { migrate } from '../../src/store/migrate.ts';
import { openDatabase } from '../../src/store/open-database.ts';
import { createStore, type StoreOptions } from '../../src/store/store.ts';
import { type TestScope, testDatabase } from '../postgres.ts';

export interface OpenedStore {
  readonly store: Store;
  readonly database: Database;
}

export interface StoreKind {
  readonly name: string;
  /** A URL that several processes can open; undefined for a store of one process. */
  readonly newUrl?: (t: TestScope) => Promise<{ url: string } | { skip: string }>;
  open(t: TestScope, options?: StoreOptions): Promise<OpenedStore | { skip: string }>;
}

export function temporaryFolder(t: TestScope): string {
  const folder = mkdtempSync(join(tmpdir(), 'varve-store-'));
  t.after(async () => {
    execFileSync('rm', ['-rf', folder]);
  });
  return folder;
}

/** Opens and migrates; the database is at hand for looks that the port does not offer. */
export async function openAt(t: TestScope, url: string, options: StoreOptions = {}): Promise<OpenedStore> {
  const database = await openDatabase(url, options);
  await migrate(database, url, 0);
  const store = createStore(database, url, options);
  t.after(() => store.close());
  return { store, database };
}

function withUrl(
  name: string,
  newUrl: (t: TestScope) => Promise<{ url: string } | { skip: string }>,
): StoreKind {
  return {
    name,
    newUrl,
    async open(t, options) {
      const made = await newUrl(t);
      return 'skip' in made ? made : openAt(t, made.url, options);
    },
  };
}

export const sqliteFile = withUrl('SQLite file', async (t) => ({
  url: join(temporaryFolder(t), 'varve.db'),
}));

export const sqliteMemory: StoreKind = {
  name: 'SQLite in memory',
  open: (t, options) => openAt(t, ':memory:', options),
};

/** Making a database takes longer than most tests: those of one file, which run one after the other, share one. */
export const postgres: StoreKind = {
  name: 'PostgreSQL',
  newUrl: testDatabase,
  async open(t, options) {
    const made = await (shared ??= testDatabase({ after: (end) => atEnd.push(end) }));
    if ('skip' in made) return made;
    const opened = await openAt(t, made.url, options);
    await empty(opened.database);
    return opened;
  },
};

let shared: ReturnType<typeof testDatabase> | undefined;
const atEnd: (() => Promise<void>)[] = [];
after(async () => {
  for (const end of atEnd) await end();
});

/** Removes every row; the schema stays. */
export async function empty(database: Database): Promise<void> {
  const list =
    database.dialect.name === 'sqlite'
      ? "select name from sqlite_schema where type = 'table' and name not like 'sqlite%'"
      : 'select tablename as name from pg_tables where schemaname = current_schema()';
  const tables = await database.reader.all<{ name: string }>(list);
  const names = tables
    .map(({ name }) => name)
    .filter((name) => !['counter', 'schema_migration'].includes(name));
  await database.transaction(
    async (session) => {
      if (session.dialect.name === 'postgres')
        await session.all(`truncate ${names.join(', ')} restart identity`);
      else for (const name of names) await session.all(`delete from ${name}`);
      await session.all('update counter set value = 0');
    },
    { durable: false },
  );
}
