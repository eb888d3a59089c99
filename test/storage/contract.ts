// The contract of the port `DatasetStorage`, run on every implementation whose paths are files of this machine.
import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import fs from 'node:fs';
import { type TestContext, test } from 'node:test';
import type { DatasetStorage, PublishedFiles } from '../../src/core/ports/storage.ts';
import { treeDigest } from '../../src/core/tree-digest.ts';
import { temporaryFolder } from './temporary-folder.ts';

export interface StorageContractSubject {
  readonly name: string;
  /** Opens an empty storage; everything is undone when the test ends. */
  open(t: TestContext): Promise<DatasetStorage>;
}

const sha256 = (text: string) => hash('sha256', text, 'hex');

async function publishText(storage: DatasetStorage, key: string, text: string): Promise<PublishedFiles> {
  const space = await storage.openAttempt(key);
  fs.writeFileSync(`${space.out}/result.txt`, text);
  return storage.publish(key);
}

async function collect(names: AsyncIterable<string>): Promise<readonly string[]> {
  const all: string[] = [];
  for await (const name of names) all.push(name);
  return all.sort();
}

export function storageContract({ name, open }: StorageContractSubject): void {
  test(`${name}: an attempt gets directories of its own, as often as it asks`, async (t) => {
    const storage = await open(t);
    const space = await storage.openAttempt('a1');
    assert.deepEqual(storage.attemptSpace('a1'), space);
    fs.writeFileSync(`${space.work}/scratch`, 'kept');
    assert.deepEqual(await storage.openAttempt('a1'), space);
    assert.equal(fs.readFileSync(`${space.work}/scratch`, 'utf8'), 'kept');
    for (const part of [space.directory, space.work, space.out, space.logs])
      assert.ok(fs.statSync(part).isDirectory());
  });

  test(`${name}: a published tree is complete, read-only and described`, async (t) => {
    const storage = await open(t);
    const { out } = await storage.openAttempt('a1');
    fs.mkdirSync(`${out}/sub/empty`, { recursive: true });
    fs.writeFileSync(`${out}/sub/run.sh`, '#!/bin/sh\n', { mode: 0o700 });
    fs.writeFileSync(`${out}/data`, 'hello\n', { mode: 0o666 });
    fs.symlinkSync('sub/run.sh', `${out}/latest`);
    const published = await storage.publish('a1');
    assert.equal(storage.locationOf('a1'), published.location);
    const expected = [
      { kind: 'file', path: 'data', executable: false, sizeBytes: 6, sha256: sha256('hello\n') },
      { kind: 'symlink', path: 'latest', target: 'sub/run.sh' },
      { kind: 'directory', path: 'sub' },
      { kind: 'directory', path: 'sub/empty' },
      { kind: 'file', path: 'sub/run.sh', executable: true, sizeBytes: 10, sha256: sha256('#!/bin/sh\n') },
    ] as const;
    assert.deepEqual(published.entries, expected);
    assert.equal(published.digest, treeDigest(expected));
    assert.equal(published.sizeBytes, 16);
    assert.equal(published.fileCount, 2);
    const path = storage.path(published.location);
    const modes = ['', 'data', 'sub', 'sub/empty', 'sub/run.sh'].map((part) =>
      (fs.lstatSync(`${path}/${part}`).mode & 0o7777).toString(8),
    );
    assert.deepEqual(modes, ['555', '444', '555', '555', '555']);
    assert.equal(fs.readFileSync(`${path}/latest`, 'utf8'), '#!/bin/sh\n');
    assert.deepEqual(await storage.entries(published.location), expected);
    assert.ok(!fs.existsSync(out));
  });

  test(`${name}: publishing again, at once or later, gives the same result`, async (t) => {
    const storage = await open(t);
    const space = await storage.openAttempt('a1');
    fs.writeFileSync(`${space.out}/result.txt`, 'x');
    const [first, second] = await Promise.all([storage.publish('a1'), storage.publish('a1')]);
    assert.deepEqual(second, first);
    assert.deepEqual(await storage.publish('a1'), first);
    await storage.openAttempt('a1');
    assert.deepEqual(await storage.publish('a1'), first);
    await storage.discardAttempt('a1');
    assert.deepEqual(await storage.publish('a1'), first);
  });

  test(`${name}: equal trees have equal digests wherever and whenever they were made`, async (t) => {
    const storage = await open(t);
    const first = await publishText(storage, 'a1', 'same');
    const space = await storage.openAttempt('a2');
    fs.writeFileSync(`${space.out}/result.txt`, 'same', { mode: 0o600 });
    fs.utimesSync(`${space.out}/result.txt`, 1, 1);
    const second = await storage.publish('a2');
    assert.equal(second.digest, first.digest);
    assert.notEqual(second.location, first.location);
    assert.notEqual((await publishText(storage, 'a3', 'other')).digest, first.digest);
  });

  test(`${name}: an empty output is a dataset`, async (t) => {
    const storage = await open(t);
    await storage.openAttempt('a1');
    const published = await storage.publish('a1');
    assert.equal(published.digest, treeDigest([]));
    assert.equal(await storage.inspect(published.location, published, 'contents'), 'intact');
    assert.deepEqual(await storage.publish('a1'), published);
  });

  test(`${name}: publishing an attempt that has no output is a clear error`, async (t) => {
    const storage = await open(t);
    await assert.rejects(storage.publish('never-opened'), { code: 'OUTPUT_FOLDER_MISSING' });
  });

  test(`${name}: inspection tells intact, missing and damaged files apart`, async (t) => {
    const storage = await open(t);
    const published = await publishText(storage, 'a1', 'precious');
    const file = `${storage.path(published.location)}/result.txt`;
    const look = async () =>
      Promise.all(
        (['exists', 'sizes', 'contents'] as const).map((depth) =>
          storage.inspect(published.location, published, depth),
        ),
      );
    assert.deepEqual(await look(), ['intact', 'intact', 'intact']);
    fs.chmodSync(file, 0o644);
    fs.writeFileSync(file, 'preciouS');
    assert.deepEqual(await look(), ['intact', 'intact', 'damaged']);
    fs.truncateSync(file, 3);
    assert.deepEqual(await look(), ['intact', 'damaged', 'damaged']);
    fs.chmodSync(storage.path(published.location), 0o755);
    fs.unlinkSync(file);
    assert.deepEqual(await look(), ['intact', 'damaged', 'damaged']);
    fs.rmdirSync(storage.path(published.location));
    assert.deepEqual(await look(), ['missing', 'missing', 'missing']);
  });

  test(`${name}: an empty file that was removed by hand is noticed by its absence`, async (t) => {
    const storage = await open(t);
    const published = await publishText(storage, 'a1', '');
    fs.chmodSync(storage.path(published.location), 0o755);
    fs.unlinkSync(`${storage.path(published.location)}/result.txt`);
    assert.equal(await storage.inspect(published.location, published, 'sizes'), 'damaged');
  });

  test(`${name}: many locations are looked up at once, in their order`, async (t) => {
    const storage = await open(t);
    const first = await publishText(storage, 'a1', '1');
    const second = await publishText(storage, 'a2', '2');
    const gone = await publishText(storage, 'a3', '3');
    await storage.remove(gone.location);
    const locations = [second.location, gone.location, first.location];
    assert.deepEqual(await storage.inspectMany(locations), ['intact', 'missing', 'intact']);
    assert.deepEqual(await storage.inspectMany([]), []);
  });

  test(`${name}: removed files are gone, and removing them again is no error`, async (t) => {
    const storage = await open(t);
    const published = await publishText(storage, 'a1', 'x');
    const kept = await publishText(storage, 'a2', 'y');
    await Promise.all([storage.remove(published.location), storage.remove(published.location)]);
    await storage.remove(published.location);
    assert.equal(await storage.inspect(published.location, published, 'exists'), 'missing');
    assert.equal(await storage.inspect(kept.location, kept, 'contents'), 'intact');
    assert.deepEqual(await collect(storage.locations()), [kept.location]);
  });

  test(`${name}: a discarded attempt leaves its logs, or nothing`, async (t) => {
    const storage = await open(t);
    const space = await storage.openAttempt('a1');
    fs.mkdirSync(`${space.work}/deep/er`, { recursive: true, mode: 0o700 });
    fs.writeFileSync(`${space.work}/deep/er/file`, 'x');
    fs.mkdirSync(space.control);
    fs.writeFileSync(`${space.logs}/stdout`, 'said');
    await storage.discardAttempt('a1');
    await storage.discardAttempt('a1');
    assert.deepEqual(fs.readdirSync(space.directory), ['logs']);
    assert.equal(fs.readFileSync(`${space.logs}/stdout`, 'utf8'), 'said');
    assert.deepEqual(await collect(storage.attempts()), ['a1']);
    await storage.discardAttempt('a1', { keepLogs: false });
    await storage.discardAttempt('a1', { keepLogs: false });
    assert.deepEqual(await collect(storage.attempts()), []);
  });

  test(`${name}: everything on disk can be enumerated`, async (t) => {
    const storage = await open(t);
    const locations = [];
    for (const key of ['a1', 'a2', 'a3']) locations.push((await publishText(storage, key, key)).location);
    await storage.openAttempt('b1');
    assert.deepEqual(await collect(storage.locations()), locations.sort());
    assert.deepEqual(await collect(storage.attempts()), ['a1', 'a2', 'a3', 'b1']);
  });

  test(`${name}: a dataset is placed where the user wants it, replacing only what was placed before`, async (t) => {
    const storage = await open(t);
    const folder = temporaryFolder(t);
    const first = await publishText(storage, 'a1', 'first');
    const second = await publishText(storage, 'a2', 'second');
    for (const use of ['own', 'keep'] as const) {
      const target = `${folder}/new/${use}`;
      await storage.place(first.location, target, first.digest, use);
      await storage.place(first.location, target, first.digest, use);
      await storage.place(second.location, target, second.digest, use);
      assert.equal(fs.readFileSync(`${target}/result.txt`, 'utf8'), 'second');
      fs.writeFileSync(`${target}/mine`, '');
      const refused = storage.place(first.location, target, first.digest, use);
      await assert.rejects(refused, { code: 'PLACE_TARGET_FOREIGN' });
    }
    fs.appendFileSync(`${folder}/new/own/result.txt`, ', changed by the user');
    assert.equal(await storage.inspect(second.location, second, 'contents'), 'intact');
  });

  test(`${name}: a flush succeeds with and without datasets to bring to the disk`, async (t) => {
    const storage = await open(t);
    await storage.flush();
    const kept = await publishText(storage, 'a1', 'x');
    const gone = await publishText(storage, 'a2', 'y');
    await storage.remove(gone.location);
    await Promise.all([storage.flush(), storage.flush()]);
    assert.equal(await storage.inspect(kept.location, kept, 'contents'), 'intact');
  });

  test(`${name}: usage says how much the file system still offers`, async (t) => {
    const { freeBytes, totalBytes } = await (await open(t)).usage();
    assert.ok(freeBytes > 0 && totalBytes >= freeBytes);
  });

  test(`${name}: names that could reach beyond the storage are refused`, async (t) => {
    const storage = await open(t);
    for (const bad of ['../x', '', 'a/b', '.', '..', '-x', 'a\nb', 'x'.repeat(200)]) {
      await assert.rejects(storage.openAttempt(bad), { code: 'STORAGE_BAD_NAME' });
      await assert.rejects(storage.publish(bad), { code: 'STORAGE_BAD_NAME' });
    }
    for (const bad of ['../x', 'ab/../../x', '/etc', '', 'ab/c/d'])
      await assert.rejects(storage.remove(bad), { code: 'STORAGE_BAD_NAME' });
  });
}
