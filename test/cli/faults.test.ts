// A fallible world, seen by a user: full and read-only disks, folders that were removed, a damaged store, a database server that
// breaks its connections. Each gives one clear message, loses nothing, and works again once the cause is gone.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { startPrivatePostgres } from '../../scripts/private-postgres.ts';
import { testDatabase } from '../postgres.ts';
import { Home, shell } from './home.ts';

/** A small file system for the home; undefined (and the test skipped) where nothing can be mounted. */
function smallDisk(t: TestContext, size: string): string | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'varve-disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'varve-test', folder], { stdio: 'pipe' });
  } catch {
    t.skip('needs the right to mount a tmpfs');
    return undefined;
  }
  t.after(() => {
    execFileSync('umount', ['-l', folder]);
    rmSync(folder, { recursive: true, force: true });
  });
  return folder;
}

function assertCalm(stderr: string): void {
  assert.doesNotMatch(stderr, /^\s+at .*\(.*:\d+:\d+\)/m, 'a stack trace was shown');
}

test('a full disk fails the action with a clear message; after space is freed a retry finishes the run', (t) => {
  const home = new Home(t);
  const disk = smallDisk(t, '24m');
  if (disk === undefined) return;
  const at = ['--home', join(disk, 'home')];
  const fill = shell(
    'fill',
    `test -e ${home.path('roomy')} && echo ok > "$VARVE_OUTPUT/f" || dd if=/dev/zero of="$VARVE_OUTPUT/f" bs=1M count=64`,
  );
  const path = home.write('flow.json', {
    name: 'full',
    actions: [shell('small', 'echo s > "$VARVE_OUTPUT/s"'), fill],
  });
  const first = home.run('run', path, ...at);
  assert.notEqual(first.status, 0);
  assertCalm(first.stderr);
  assert.match(first.stdout + first.stderr, /fill/);
  home.write('roomy', '');
  home.run('datasets', 'clean', ...at);
  const again = home.run('retry', '1', '--json', ...at);
  assert.equal(JSON.parse(again.stdout).state, 'SUCCEEDED', again.stderr);
});

test('a read-only home is one clear message', (t) => {
  const home = new Home(t);
  const disk = smallDisk(t, '24m');
  if (disk === undefined) return;
  const path = home.write('flow.json', { name: 'ro', actions: [shell('a', 'true')] });
  const at = ['--home', join(disk, 'home')];
  assert.equal(home.run('run', path, ...at).status, 0);
  execFileSync('mount', ['-o', 'remount,ro', disk]);
  const refused = home.run('run', path, ...at);
  assert.notEqual(refused.status, 0);
  assertCalm(refused.stderr);
  assert.match(refused.stderr, /read-only|not permitted|cannot/i);
  execFileSync('mount', ['-o', 'remount,rw', disk]);
  assert.match(home.run('run', path, ...at).stdout, /everything was reused/);
});

test('when the folder of the datasets was removed everything is computed again', (t) => {
  const home = new Home(t);
  const path = home.write('flow.json', { name: 'gone', actions: [shell('a', 'echo a > "$VARVE_OUTPUT/f"')] });
  assert.equal(home.json('run', path).actions.computed, 1);
  rmSync(home.path('home/datasets'), { recursive: true, force: true });
  const report = home.json('run', path);
  assert.equal(report.state, 'SUCCEEDED');
  assert.equal(report.actions.computed, 1);
});

test('a damaged store is refused with a hint, and nothing is written to it', (t) => {
  const home = new Home(t);
  const path = home.write('flow.json', { name: 'damaged', actions: [shell('a', 'true')] });
  assert.equal(home.run('run', path).status, 0);
  const file = home.path('home/varve.db');
  const descriptor = openSync(file, 'r+');
  const { size } = statSync(file);
  for (let offset = 0; offset < size; offset += 4096)
    writeSync(descriptor, Buffer.alloc(512, 0xa5), 0, 512, offset);
  closeSync(descriptor);
  const refused = home.run('run', path);
  assert.equal(refused.status, 9);
  assertCalm(refused.stderr);
  assert.match(refused.stderr, /\[STORE_CORRUPT\]/);
  assert.match(refused.stderr, /hint: .*backup/);
});

test('a workflow goes on while PostgreSQL breaks every connection, and each action runs once', async (t) => {
  const database = await testDatabase(t);
  if ('skip' in database) return t.skip(database.skip);
  const home = new Home(t, { VARVE_STORE_URL: database.url });
  const log = home.path('log');
  const actions = Array.from({ length: 30 }, (_, i) =>
    shell(`a${i}`, `echo a${i} >> ${log}; sleep 0.05`, i > 4 ? { parentActions: [`a${i - 5}`] } : {}),
  );
  const path = home.write('flow.json', { name: 'restarts', actions });
  const { ended } = home.start('run', path, '--json');
  let running = true;
  const breaking = (async () => {
    while (running && !existsSync(log)) await sleep(20);
    while (running) {
      await sleep(150);
      const client = new pg.Client({ connectionString: database.url });
      client.on('error', () => {});
      await client.connect();
      await client.query(
        'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
      );
      await client.end();
    }
  })();
  const { stdout, stderr } = await ended;
  running = false;
  await breaking;
  assert.match(stdout, /"state": "SUCCEEDED"/, stderr);
  assertCalm(stderr);
  const done = readFileSync(log, 'utf8').trim().split('\n');
  assert.equal(new Set(done).size, 30);
  assert.equal(done.length, 30);
});

test('PostgreSQL crashes and starts again under load: the run ends well and each action ran once', async (t) => {
  const server = await startPrivatePostgres({ durable: true });
  if (!server) return t.skip('PostgreSQL is not installed');
  t.after(() => server.stop());
  const home = new Home(t, { VARVE_STORE_URL: server.url });
  const log = home.path('log');
  const actions = Array.from({ length: 60 }, (_, i) =>
    shell(`a${i}`, `echo a${i} >> ${log}; sleep 0.05`, i > 4 ? { parentActions: [`a${i - 5}`] } : {}),
  );
  const path = home.write('flow.json', { name: 'restarts', actions });
  const { ended } = home.start('run', path, '--json');
  for (const lines of [3, 20]) {
    while (!existsSync(log) || readFileSync(log, 'utf8').split('\n').length <= lines) await sleep(10);
    await server.crash();
  }
  const { stdout, stderr } = await ended;
  assert.match(stdout, /"state": "SUCCEEDED"/, stderr);
  assertCalm(stderr);
  const done = readFileSync(log, 'utf8').trim().split('\n');
  assert.equal(new Set(done).size, 60);
  assert.equal(done.length, 60);
});

test('an unreachable database server is named in one message', (t) => {
  const home = new Home(t, { VARVE_STORE_URL: 'postgres://nobody@127.0.0.1:1/none' });
  const path = home.write('flow.json', { name: 'none', actions: [shell('a', 'true')] });
  const { status, stderr } = home.run('run', path, '--set', 'store.waitSeconds=1');
  assert.equal(status, 7);
  assertCalm(stderr);
  assert.match(stderr, /\[STORE_CANNOT_OPEN\]/);
  assert.ok(!existsSync(home.path('home/varve.db')));
});
