// Choosing, compiling and doubting: what is particular to the local back-end.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { compileLauncher } from '../../src/backends/local/compile-launcher.ts';
import { cpuOfChildren, journalPath, parseEnd, readJournal } from '../../src/backends/local/job-journal.ts';
import { thisMachine } from '../../src/backends/local/process-identity.ts';
import { EventLog } from './event-log.ts';
import { LocalWorld } from './local-world.ts';

test('several processes that compile the launcher at once end up with one whole program', async () => {
  await using world = new LocalWorld('c');
  const cache = join(world.root, 'cache', 'deep');
  const programs = await Promise.all([1, 2, 3].map(() => compileLauncher(cache, 'cc')));
  assert.equal(new Set(programs).size, 1);
  assert.deepEqual(readdirSync(cache).length, 1);
  assert.equal(await compileLauncher(cache, '/no/such/compiler'), programs[0], 'it is not compiled again');
});

test('without a compiler the launcher in sh is used, with a warning', async () => {
  await using world = new LocalWorld('c');
  const warnings: string[] = [];
  const log = new EventLog();
  const backend = world.open(log, {
    launcher: 'auto',
    compiler: '/no/such/compiler',
    cacheDirectory: join(world.root, 'cache'),
    warn: (message) => void warnings.push(message),
  });
  await Promise.all(['a', 'b'].map((key) => backend.submit(world.script(key, 'exit 3'))));
  assert.equal((await log.exit('a')).exitCode, 3);
  assert.equal((await log.exit('b')).exitCode, 3);
  assert.equal(warnings.length, 1);
  assert.match(warnings[0]!, /no\/such\/compiler/);
});

test('where the launcher in C is demanded, a missing or broken compiler is a clear error', async () => {
  await using world = new LocalWorld('c');
  const cacheDirectory = join(world.root, 'cache');
  for (const compiler of ['/no/such/compiler', 'false']) {
    const backend = world.open(new EventLog(), { launcher: 'c', compiler, cacheDirectory });
    await assert.rejects(backend.submit(world.job('a')), { code: 'LOCAL_COMPILE_FAILED' });
  }
  assert.equal(existsSync(journalPath(world.job('a').directory)), false);
});

test('a compiled launcher that does not run here is a clear error, or gives way to sh', async () => {
  await using world = new LocalWorld('c');
  const cacheDirectory = join(world.root, 'cache');
  const program = await compileLauncher(cacheDirectory, 'cc');
  writeFileSync(program, '#!/bin/sh\nexit 1\n');
  const strict = world.open(new EventLog(), { launcher: 'c', cacheDirectory });
  await assert.rejects(strict.submit(world.job('a')), { code: 'LOCAL_LAUNCHER_FAILED' });
  const log = new EventLog();
  await world.open(log, { launcher: 'auto', cacheDirectory }).submit(world.script('b', 'exit 3'));
  assert.equal((await log.exit('b')).exitCode, 3);
});

test('a journal that is empty because its writer died is decided by whoever writes first', async () => {
  await using world = new LocalWorld('c');
  const job = world.job('a');
  writeFileSync(journalPath(job.directory), '');
  assert.equal(readJournal(job.directory).kind, 'undecided');
  const backend = world.open(new EventLog());
  const outcome = await backend.recover(job, undefined);
  assert.deepEqual(outcome, { kind: 'lost', reason: 'it was never started', unstarted: true });
});

test('a job of another boot or another host is lost, and nothing here is signalled', async () => {
  await using world = new LocalWorld('c');
  const { host, boot } = thisMachine();
  const backend = world.open(new EventLog());
  const record = (b: string, h: string) =>
    `started ${process.pid} 1 ${process.pid} 1 ${b} ${h} 1 0 0 1000 0\n`;
  const cases = {
    rebooted: ['other-boot', host],
    elsewhere: ['other-boot', 'elsewhere'],
    reused: [boot, host],
  } as const;
  for (const [key, [b, h]] of Object.entries(cases)) {
    const job = world.job(key);
    writeFileSync(journalPath(job.directory), record(b, h));
    const outcome = await backend.recover(job, undefined);
    assert.ok(outcome !== 'running' && outcome.kind === 'lost');
    if (key === 'elsewhere') assert.match(outcome.reason, /it ran on elsewhere/);
    writeFileSync(journalPath(job.directory), 'fenced by the test\n');
  }
});

test('an attempt whose directory is gone is lost', async () => {
  await using world = new LocalWorld('c');
  const outcome = await world
    .open(new EventLog())
    .recover({ key: 'a', directory: join(world.root, 'none') }, undefined);
  assert.ok(outcome !== 'running' && outcome.kind === 'lost');
  assert.match(outcome.reason, /directory is gone/);
});

test('marks before an end decide its kind, and a shell tells signals by the exit code', () => {
  const end = ['exited', '143', '-', '2000', '-', '-'];
  assert.deepEqual(parseEnd(1000, end), {
    kind: 'exited',
    exitCode: 143,
    signal: 'SIGTERM',
    startedAt: 1000,
    endedAt: 2000,
  });
  assert.equal(parseEnd(1000, end, 'timeout').kind, 'timeout');
  assert.deepEqual(parseEnd(1000, ['exited', '3', '0', '900', '5', '6']), {
    kind: 'exited',
    exitCode: 3,
    startedAt: 1000,
    endedAt: 1000,
    cpuSeconds: 5e-6,
    peakMemoryBytes: 6,
  });
  assert.equal(cpuOfChildren(['0m9.0s 0m9.0s', '1m2.5s 0m0.25s']), 62.75);
  assert.equal(cpuOfChildren([]), undefined);
});

test('the launcher in C compiles without a warning', async () => {
  await using world = new LocalWorld('c');
  const source = new URL('../../src/backends/local/launcher.c', import.meta.url);
  assert.ok(readFileSync(source, 'utf8').length > 0);
  const { spawnSync } = await import('node:child_process');
  const flags = ['-O2', '-std=gnu11', '-Wall', '-Wextra', '-Werror', '-fsyntax-only'];
  const { status, stderr } = spawnSync('cc', [...flags, source.pathname], {
    cwd: world.root,
    encoding: 'utf8',
  });
  assert.equal(status, 0, stderr);
});
