import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { after, test } from 'node:test';
import { Client } from 'pg';
import { findPostgres } from '../../scripts/private-postgres.ts';
import { postgresAbsent, testDatabase } from '../postgres.ts';

const skip = findPostgres() === undefined ? postgresAbsent : false;

test('every test gets a database of its own, and it is gone afterwards', { skip }, async (t) => {
  const urls: string[] = [];
  await t.test('two databases', async (inner) => {
    for (let i = 0; i < 2; i += 1) {
      const db = await testDatabase(inner);
      assert.ok('url' in db);
      urls.push(db.url);
      const client = new Client({ connectionString: db.url });
      await client.connect();
      await client.query('create table t (x int)');
      await client.end();
    }
  });
  assert.notEqual(urls[0], urls[1]);
  const client = new Client({ connectionString: urls[0] });
  await assert.rejects(client.connect(), { code: '3D000' });
});

test('a file can share one database through the after of node:test', { skip }, async () => {
  const db = await testDatabase({ after });
  assert.ok('url' in db);
});

test('the server ends when the process that started it is killed', { skip, timeout: 60_000 }, async () => {
  const module = new URL('../../scripts/private-postgres.ts', import.meta.url).href;
  const code = `const { startPrivatePostgres } = await import(${JSON.stringify(module)});
    const server = await startPrivatePostgres({ durable: false });
    console.log(server.url); setInterval(() => {}, 1000);`;
  const owner = spawn(process.execPath, ['--input-type=module', '-e', code], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const url = await new Promise<string>((resolve) =>
    owner.stdout.once('data', (chunk) => resolve(String(chunk).trim())),
  );
  const connected = await connects(url);
  owner.kill('SIGKILL');
  assert.equal(connected, true);
  while (await connects(url)) await new Promise((resolve) => setTimeout(resolve, 20));
});

async function connects(url: string): Promise<boolean> {
  const client = new Client({ connectionString: url });
  client.on('error', () => {});
  try {
    await client.connect();
    await client.end();
    return true;
  } catch {
    return false;
  }
}
