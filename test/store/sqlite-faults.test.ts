// Damaged, foreign, full and read-only: what SQLite meets on real disks.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { formatError, type VarveError } from '../../src/core/errors.ts';
import { openDatabase } from '../../src/store/open-database.ts';
import { openStore } from '../../src/store/store.ts';
import { temporaryFolder } from './kinds.ts';
import { actionRow, runRow } from './rows.ts';

/** Mounts a small file system in memory; undefined after skipping the test. */
function mountSmall(t: TestContext, options: string): string | undefined {
  let mounted: string | undefined;
  // Registered first, so that it runs before the folder is removed.
  t.after(() => mounted && execFileSync('umount', ['-l', mounted]));
  const folder = join(temporaryFolder(t), 'mounted');
  fs.mkdirSync(folder);
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'varve-test', folder], { stdio: 'pipe' });
  } catch {
    t.skip('needs the right to mount a tmpfs');
    return undefined;
  }
  mounted = folder;
  return folder;
}

test('a file that is no database is refused with a message that says what to do', async (t) => {
  const path = join(temporaryFolder(t), 'varve.db');
  fs.writeFileSync(path, 'this is a letter to my aunt\n'.repeat(500));
  await assert.rejects(openStore(path), (error: VarveError) => {
    assert.equal(error.code, 'STORE_CORRUPT');
    assert.match(
      formatError(error),
      /varve\.db is damaged: file is not a database.*\n.*hint: .*restore a backup/,
    );
    return true;
  });
  assert.match(fs.readFileSync(path, 'utf8'), /aunt/);
});

test('a damaged page is told by whoever meets it, and nothing is written', async (t) => {
  const path = join(temporaryFolder(t), 'varve.db');
  const store = await openStore(path);
  await store.write(async (tx) => {
    await tx.insertRun(runRow(1));
    await tx.insertActions(Array.from({ length: 3_000 }, (_, i) => actionRow(i + 1)));
  });
  await store.close();
  const file = fs.openSync(path, 'r+');
  const { size } = fs.fstatSync(file);
  for (let at = 400_000; at < size - 40_000; at += 8_192)
    fs.writeSync(file, Buffer.alloc(4_096, 0xa5), 0, 4_096, at & ~4095);
  fs.closeSync(file);
  const damaged = await openStore(path);
  t.after(() => damaged.close());
  await assert.rejects(damaged.view.actionsOfRun(1), {
    code: 'STORE_CORRUPT',
    kind: 'corrupt',
    hint: /backup/,
  });
  const lease = { owner: 'a', until: 9, now: 1, limit: 3_000 };
  await assert.rejects(
    damaged.write((tx) => tx.takeActions(lease)),
    { code: 'STORE_CORRUPT' },
  );
});

test('a full disk is told, what was reported stays, and writing goes on once there is space', async (t) => {
  const folder = mountSmall(t, 'size=6m');
  if (!folder) return;
  const store = await openStore(join(folder, 'varve.db'));
  t.after(() => store.close());
  const reported: number[] = [];
  const write = (from: number) =>
    store.write(async (tx) => {
      await tx.insertActions(
        Array.from({ length: 50 }, (_, i) => actionRow(from + i, { node: 'x'.repeat(1_000) })),
      );
      return from;
    });
  await assert.rejects(
    async () => {
      for (let from = 1; ; from += 100) {
        const both = await Promise.allSettled([write(from), write(from + 50)]);
        for (const one of both) if (one.status === 'fulfilled') reported.push(one.value);
        for (const one of both) if (one.status === 'rejected') throw one.reason;
      }
    },
    { code: 'STORE_FULL', kind: 'exhausted' },
  );
  assert.ok(reported.length > 2);
  execFileSync('mount', ['-o', 'remount,size=60m', folder]);
  assert.equal(await write(900_000), 900_000);
  const expected = [...reported, 900_000].flatMap((from) => Array.from({ length: 50 }, (_, i) => from + i));
  assert.deepEqual(
    (await store.view.actionsOfRun(1)).map((row) => row.id),
    expected,
  );
});

test('a read-only file system is told; looking still works', async (t) => {
  const folder = mountSmall(t, 'size=20m');
  if (!folder) return;
  const path = join(folder, 'varve.db');
  const store = await openStore(path);
  await store.write((tx) => tx.putSetting('a', 'b'));
  const look = await openDatabase(path, { readOnly: true });
  assert.equal((await look.reader.all('select value from setting')).length, 1);
  await look.close();
  await store.close();
  execFileSync('mount', ['-o', 'remount,ro', folder]);
  await assert.rejects(openStore(path), (error: VarveError) => {
    assert.ok(['STORE_READ_ONLY', 'STORE_CANNOT_OPEN'].includes(error.code), error.code);
    assert.equal(error.kind, 'unavailable');
    return true;
  });
  await assert.rejects(openStore(join(folder, 'new', 'varve.db')), { kind: 'unavailable' });
});

test('what is no store URL is refused', async () => {
  for (const url of ['mysql://x', 'http://x/y', 'sqlite:', ''])
    await assert.rejects(openStore(url), { code: 'STORE_BAD_URL', kind: 'invalid' });
});
