// The committed schema of PostgreSQL is the one that migrations make: both give the same catalog.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import pg from 'pg';
import { openStore } from '../../src/store/store.ts';
import { testDatabase } from '../postgres.ts';

const dump = join(import.meta.dirname, '..', '..', 'docs', 'reference', 'schema.postgres.sql');

async function catalog(url: string): Promise<unknown> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const columns = await client.query(
      `select table_name, column_name, data_type, is_nullable, column_default from information_schema.columns
        where table_schema = current_schema() and table_name <> 'schema_migration' order by 1, 2`,
    );
    const indexes = await client.query(
      "select indexname, indexdef from pg_indexes where schemaname = current_schema() and tablename <> 'schema_migration' order by 1",
    );
    const checks = await client.query(
      `select conname, pg_get_constraintdef(oid) as definition from pg_constraint
        where contype = 'c' and connamespace = current_schema()::regnamespace order by 1`,
    );
    return [columns.rows, indexes.rows, checks.rows];
  } finally {
    await client.end();
  }
}

test('the committed PostgreSQL schema gives the same catalog as the migrations', async (t) => {
  const [migrated, applied] = [await testDatabase(t), await testDatabase(t)];
  if ('skip' in migrated) return t.skip(migrated.skip);
  if ('skip' in applied) return t.skip(applied.skip);
  await (await openStore(migrated.url)).close();
  const client = new pg.Client({ connectionString: applied.url });
  await client.connect();
  await client.query(readFileSync(dump, 'utf8'));
  await client.end();
  assert.deepEqual(await catalog(applied.url), await catalog(migrated.url));
});
