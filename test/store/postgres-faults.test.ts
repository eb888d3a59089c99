// PostgreSQL goes away and comes back. Needs a server of its own (scripts/private-postgres.ts finds the programs).
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { openStore } from '../../src/store/store.ts';
import { postgresAbsent } from '../postgres.ts';
import { startRestartablePostgres } from './restartable-postgres.ts';
import { epoch, runRow } from './rows.ts';

test('a server that crashes under load and comes back: every write is done exactly once', async (t) => {
  const server = await startRestartablePostgres(t);
  if (!server) return t.skip(postgresAbsent);
  const store = await openStore(server.url);
  t.after(() => store.close());
  const heard: string[] = [];
  store.listen((topic) => heard.push(topic));
  let stop = false;
  let written = 0;
  const writer = async (name: string): Promise<string[]> => {
    const done: string[] = [];
    while (!stop) {
      const key = `${name}-${done.length}`;
      await store.write(async (tx) => {
        const id = await tx.nextIds('run', 1);
        await tx.insertRun(runRow(id, { submissionKey: key }));
        await tx.note('run', id, id, 'noted', key, { actor: name, at: epoch });
        tx.notify('run');
      });
      await store.view.runBySubmission(key);
      done.push(key);
      written += 1;
    }
    return done;
  };
  const writers = Promise.all(Array.from({ length: 6 }, (_, i) => writer(`w${i}`)));
  for (let crash = 0; crash < 4; crash++) {
    const before = written;
    while (written < before + 50) await sleep(2);
    await server.crashAndStart();
  }
  const after = written;
  while (written < after + 50) await sleep(2);
  stop = true;
  const keys = (await writers).flat().sort();
  const runs = await store.view.listRuns({ limit: 1_000_000 });
  assert.deepEqual(runs.map((run) => run.submissionKey).sort(), keys);
  const notes = await store.view.journal({ limit: 1_000_000 });
  assert.deepEqual(notes.map((entry) => JSON.parse(entry.detail ?? '')).sort(), keys);
  heard.length = 0;
  const other = await openStore(server.url);
  t.after(() => other.close());
  while (heard.length === 0) {
    await other.write(async (tx) => tx.notify('doomed'));
    await sleep(20);
  }
  assert.ok(heard.includes('doomed') || heard.includes('*'), 'notices are heard again');
});

test('what outlives processes outlives a crash of the server', async (t) => {
  // Left to itself, the server would write the log of lazy commits after ten seconds.
  const server = await startRestartablePostgres(t, { wal_writer_delay: '10s' });
  if (!server) return t.skip(postgresAbsent);
  const store = await openStore(server.url);
  t.after(() => store.close());
  for (const [key, durable] of [
    ['a', 'processes'],
    ['b', false],
  ] as const) {
    await store.write((tx) => tx.putSetting(key, 'kept'), { durable });
    await server.crashAndStart();
  }
  assert.equal(await store.view.setting('a'), 'kept');
  assert.equal(await store.view.setting('b'), undefined, 'otherwise the test shows nothing');
  // One that shares its transaction with a lazy one makes both last.
  await Promise.all(
    [false, 'processes' as const].map((durable) =>
      store.write((tx) => tx.putSetting(`c${durable}`, 'kept'), { durable }),
    ),
  );
  await server.crashAndStart();
  assert.equal(await store.view.setting('cprocesses'), 'kept');
  assert.equal(await store.view.setting('cfalse'), 'kept');
});

test('a server that stays away is an error that says so, after the time to wait', async (t) => {
  const server = await startRestartablePostgres(t);
  if (!server) return t.skip(postgresAbsent);
  const store = await openStore(server.url, { waitMs: 300 });
  t.after(() => store.close());
  await server.stop();
  await assert.rejects(store.view.liveRuns(), { code: 'STORE_UNAVAILABLE', kind: 'unavailable' });
  await assert.rejects(
    store.write((tx) => tx.putSetting('a', 'b')),
    { code: 'STORE_UNAVAILABLE' },
  );
  await server.start();
  await store.write((tx) => tx.putSetting('a', 'b'));
  assert.equal(await store.view.setting('a'), 'b');
});

test('a wrong address, user or database is told at once and in full', async (t) => {
  const server = await startRestartablePostgres(t);
  if (!server) return t.skip(postgresAbsent);
  const wrong = (change: (url: URL) => void): string => {
    const url = new URL(server.url);
    change(url);
    return url.href;
  };
  const cannotOpen = { code: 'STORE_CANNOT_OPEN', kind: 'unavailable' };
  await assert.rejects(openStore(wrong((url) => (url.port = '1'))), {
    ...cannotOpen,
    message: /ECONNREFUSED/,
  });
  await assert.rejects(openStore(wrong((url) => (url.pathname = '/none'))), {
    ...cannotOpen,
    message: /"none"/,
  });
  await assert.rejects(openStore(wrong((url) => (url.username = 'nobody'))), {
    ...cannotOpen,
    message: /"nobody"/,
  });
  const secret = wrong((url) => {
    url.password = 'secret';
    url.port = '1';
  });
  await assert.rejects(openStore(secret), (error: Error) => !error.message.includes('secret'));
});

test('a server that may only be read says so', async (t) => {
  const server = await startRestartablePostgres(t);
  if (!server) return t.skip(postgresAbsent);
  await (await openStore(server.url)).close();
  const store = await openStore(`${server.url}?options=-c%20default_transaction_read_only%3Don`);
  t.after(() => store.close());
  assert.deepEqual(await store.view.liveRuns(), []);
  await assert.rejects(
    store.write((tx) => tx.putSetting('a', 'b')),
    { code: 'STORE_READ_ONLY' },
  );
});
