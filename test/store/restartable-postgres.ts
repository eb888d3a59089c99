// A PostgreSQL of our own that a test may stop and start again. A shell that waits on a pipe ends it and removes its files even when
// the test is killed.
import { execFile, execFileSync, spawn } from 'node:child_process';
import { chownSync, mkdtempSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findPostgres } from '../../scripts/private-postgres.ts';
import type { TestScope } from '../postgres.ts';

const run = promisify(execFile);

export interface RestartablePostgres {
  readonly url: string;
  /** As if its machine had lost power: nothing is written down in good order. */
  crashAndStart(): Promise<void>;
  stop(): Promise<void>;
  start(): Promise<void>;
}

const guard = 'cat >/dev/null; "$1/pg_ctl" stop -D "$2/data" -m immediate -s; rm -rf "$2"';

export async function startRestartablePostgres(
  t: TestScope,
  wanted: Readonly<Record<string, string>> = {},
): Promise<RestartablePostgres | undefined> {
  const bin = findPostgres();
  if (bin === undefined) return undefined;
  const folder = mkdtempSync(join(tmpdir(), 'varve-restart-'));
  const account = accountOf(folder);
  const options = { ...account, cwd: folder };
  const data = join(folder, 'data');
  await run(
    join(bin, 'initdb'),
    ['--no-sync', '-A', 'trust', '-U', 'varve', '--no-locale', '-E', 'UTF8', '-D', data],
    options,
  );
  const port = await freePort();
  const given = {
    listen_addresses: '127.0.0.1',
    port: String(port),
    unix_socket_directories: '',
    fsync: 'off',
    ...wanted,
  };
  const settings = Object.entries(given)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ');
  // Its output goes to the log, so that the server does not hold our pipes open.
  const control = (...args: string[]): Promise<unknown> =>
    run(
      join(bin, 'pg_ctl'),
      [...args, '-D', data, '-l', join(folder, 'log'), '-o', settings, '-w', '-s'],
      options,
    );
  await control('start');
  const keeper = spawn('/bin/sh', ['-c', guard, 'guard', bin, folder], {
    ...options,
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  t.after(async () => {
    const ended = new Promise((resolve) => keeper.once('exit', resolve));
    keeper.stdin?.end();
    await ended;
    execFileSync('rm', ['-rf', folder]);
  });
  return {
    url: `postgres://varve@127.0.0.1:${port}/postgres`,
    async crashAndStart() {
      await control('restart', '-m', 'immediate');
    },
    async stop() {
      await control('stop', '-m', 'immediate');
    },
    async start() {
      await control('start');
    },
  };
}

/** PostgreSQL does not run as root. */
function accountOf(folder: string): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const id = (flag: string): number => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  const account = { uid: id('-u'), gid: id('-g') };
  chownSync(folder, account.uid, account.gid);
  return account;
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer().once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => (typeof address === 'object' && address ? resolve(address.port) : reject()));
    });
  });
}
