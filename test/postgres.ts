// A fresh PostgreSQL database for a test. The server is the one that VARVE_TEST_POSTGRES names (the test command starts it
// once for all files), or, for a test file that runs alone, one that this process starts itself.
import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { startPrivatePostgres } from '../scripts/private-postgres.ts';

/** Whoever ends the test: a test context, or `{ after }` of node:test for a database that a whole file shares. */
export interface TestScope {
  after(action: () => Promise<void>): void;
}

export const postgresAbsent =
  'PostgreSQL is not installed (apt-get install postgresql) and VARVE_TEST_POSTGRES is not set';

let server: Promise<string | undefined> | undefined;

/** Creates a database that is dropped when the scope ends, or says why there is none: `if ('skip' in db) return t.skip(db.skip)`. */
export async function testDatabase(t: TestScope): Promise<{ url: string } | { skip: string }> {
  const serverUrl = await (server ??= findServer());
  if (serverUrl === undefined) return { skip: postgresAbsent };
  const name = `varve_test_${process.pid}_${randomBytes(4).toString('hex')}`;
  await administer(serverUrl, `create database ${name}`);
  t.after(() => administer(serverUrl, `drop database if exists ${name} with (force)`));
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return { url: url.href };
}

async function findServer(): Promise<string | undefined> {
  const given = process.env.VARVE_TEST_POSTGRES;
  return given || (await startPrivatePostgres({ durable: false }))?.url;
}

async function administer(url: string, statement: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
