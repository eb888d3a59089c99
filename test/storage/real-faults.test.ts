// Faults of real file systems: full, read-only, gone, not ours. What needs root or a mount is skipped where it cannot be had.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { openLocalStorage } from '../../src/storage/local/local-storage.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** Mounts a small file system in memory; undefined after skipping the test. */
function mountSmall(t: TestContext, options: string): string | undefined {
  let mounted: string | undefined;
  // Registered first, so that it runs before the folder is removed; lazy, because a failed test may have files open.
  t.after(() => mounted && unmount(mounted));
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

function unmount(folder: string): void {
  if (fs.readFileSync('/proc/mounts', 'utf8').includes(` ${folder} `)) execFileSync('umount', ['-l', folder]);
}

function remount(folder: string, options: string): void {
  execFileSync('mount', ['-o', `remount,${options}`, folder], { stdio: 'pipe' });
}

function fill(folder: string): void {
  try {
    for (let index = 0; ; index += 1) fs.writeFileSync(`${folder}/filler${index}`, Buffer.alloc(4096, 1));
  } catch (error) {
    assert.equal((error as NodeJS.ErrnoException).code, 'ENOSPC');
  }
}

test('a full disk is told, and what was published stays readable and removable', async (t) => {
  const mounted = mountSmall(t, 'size=1m');
  if (!mounted) return;
  const storage = openLocalStorage({ root: join(mounted, 'storage') });
  t.after(() => storage.close());
  fs.writeFileSync(`${(await storage.openAttempt('a')).out}/f`, 'safe');
  const published = await storage.publish('a');
  const waiting = await storage.openAttempt('b');
  fs.writeFileSync(`${mounted}/elsewhere`, Buffer.alloc(200_000, 2));
  fs.linkSync(`${mounted}/elsewhere`, `${waiting.out}/needs-a-copy`);
  fill(mounted);
  await assert.rejects(storage.publish('b'), { code: 'STORAGE_FULL', kind: 'exhausted' });
  assert.equal(await storage.inspect(published.location, published, 'contents'), 'intact');
  await storage.remove(published.location);
  for (const name of fs.readdirSync(mounted))
    if (name.startsWith('filler')) fs.unlinkSync(`${mounted}/${name}`);
  assert.equal((await storage.publish('b')).sizeBytes, 200_000);
});

test('no inodes left is a full disk too', async (t) => {
  const mounted = mountSmall(t, 'size=1m,nr_inodes=20');
  if (!mounted) return;
  const storage = openLocalStorage({ root: join(mounted, 'storage') });
  t.after(() => storage.close());
  await assert.rejects(
    async () => {
      for (let index = 0; index < 30; index += 1) await storage.openAttempt(`a${index}`);
    },
    { code: 'STORAGE_FULL', hint: /free some space/ },
  );
});

test('a file system that turns read-only is told; reading goes on', async (t) => {
  const mounted = mountSmall(t, 'size=1m');
  if (!mounted) return;
  const root = join(mounted, 'storage');
  const storage = openLocalStorage({ root });
  t.after(() => storage.close());
  fs.writeFileSync(`${(await storage.openAttempt('a')).out}/f`, 'safe');
  const published = await storage.publish('a');
  await storage.openAttempt('b');
  remount(mounted, 'ro');
  await assert.rejects(storage.openAttempt('c'), { code: 'STORAGE_READ_ONLY', kind: 'unavailable' });
  await assert.rejects(storage.publish('b'), { code: 'STORAGE_READ_ONLY' });
  await assert.rejects(storage.remove(published.location), { code: 'STORAGE_READ_ONLY' });
  await assert.rejects(storage.discardAttempt('b'), { code: 'STORAGE_READ_ONLY' });
  assert.equal(await storage.inspect(published.location, published, 'contents'), 'intact');
  assert.throws(() => openLocalStorage({ root }), { code: 'STORAGE_READ_ONLY' });
  remount(mounted, 'rw');
  assert.equal((await storage.publish('b')).fileCount, 0);
});

test('a storage whose file system is unmounted is unavailable, never empty', async (t) => {
  const mounted = mountSmall(t, 'size=1m');
  if (!mounted) return;
  const storage = openLocalStorage({ root: mounted });
  fs.writeFileSync(`${(await storage.openAttempt('a')).out}/f`, 'safe');
  const published = await storage.publish('a');
  await storage.close();
  unmount(mounted);
  const gone = { code: 'STORAGE_GONE', kind: 'unavailable' };
  await assert.rejects(storage.inspect(published.location, published, 'exists'), gone);
  await assert.rejects(storage.inspectMany([published.location]), gone);
  await assert.rejects(storage.remove(published.location), gone);
  await assert.rejects(storage.publish('a'), gone);
  await assert.rejects(storage.openAttempt('b'), gone);
  assert.deepEqual(fs.readdirSync(mounted), []);
});

test('a root that was deleted under an open storage is told; a new start begins anew under another id', async (t) => {
  const root = join(temporaryFolder(t), 'storage');
  const storage = openLocalStorage({ root });
  assert.equal(storage.created, true);
  await storage.openAttempt('a');
  fs.rmSync(root, { recursive: true });
  await assert.rejects(storage.openAttempt('b'), { code: 'STORAGE_GONE' });
  await assert.rejects(storage.publish('a'), { code: 'STORAGE_GONE' });
  const anew = openLocalStorage({ root });
  assert.equal(anew.created, true);
  assert.notEqual(anew.id, storage.id);
  const again = openLocalStorage({ root });
  assert.deepEqual([again.created, again.id], [false, anew.id]);
});

test('when only the folder of datasets is deleted, datasets are missing and work goes on', async (t) => {
  const root = join(temporaryFolder(t), 'storage');
  const storage = openLocalStorage({ root, durability: 'normal' });
  fs.writeFileSync(`${(await storage.openAttempt('a')).out}/f`, 'x');
  const published = await storage.publish('a');
  fs.rmSync(join(root, 'datasets'), { recursive: true });
  assert.equal(await storage.inspect(published.location, published, 'exists'), 'missing');
  fs.writeFileSync(`${(await storage.openAttempt('b')).out}/f`, 'x');
  assert.equal((await storage.publish('b')).digest, published.digest);
  fs.rmSync(join(root, 'attempts'), { recursive: true });
  await storage.openAttempt('c');
});

test('a root that is a file, lies below a file, or is of a newer version is refused', (t) => {
  const folder = temporaryFolder(t);
  fs.writeFileSync(`${folder}/file`, '');
  assert.throws(() => openLocalStorage({ root: `${folder}/file` }), { code: 'STORAGE_NOT_A_FOLDER' });
  assert.throws(() => openLocalStorage({ root: `${folder}/file/sub` }), { code: 'STORAGE_NOT_A_FOLDER' });
  fs.writeFileSync(`${folder}/varve-storage.json`, '{"format":2,"id":"x"}');
  assert.throws(() => openLocalStorage({ root: folder }), { code: 'STORAGE_NEWER' });
  fs.writeFileSync(`${folder}/varve-storage.json`, '{"form');
  assert.throws(() => openLocalStorage({ root: folder }), { code: 'STORAGE_MARKER_DAMAGED' });
});

test('an ordinary user cannot change published files, and can publish and remove what is read-only', (t) => {
  if (process.getuid?.() !== 0) return t.skip('needs root to become an ordinary user');
  const folder = temporaryFolder(t);
  fs.chmodSync(folder, 0o755);
  fs.mkdirSync(`${folder}/home`);
  fs.chownSync(`${folder}/home`, 65534, 65534);
  fs.mkdirSync(`${folder}/closed`, { mode: 0o755 });
  const script = join(import.meta.dirname, 'as-ordinary-user.ts');
  const said = execFileSync(process.execPath, [script, folder], { uid: 65534, gid: 65534, encoding: 'utf8' });
  assert.equal(said, 'all held\n');
});
