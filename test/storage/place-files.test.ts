import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { faultyFileSystem, SimulatedCrash } from '../../src/storage/local/faulty-file-system.ts';
import { nodeFileSystem } from '../../src/storage/local/file-system.ts';
import { openLocalStorage } from '../../src/storage/local/local-storage.ts';
import { FilePlacer, placeModes } from '../../src/storage/local/place-files.ts';
import { ResultPlacer } from '../../src/storage/local/place-results.ts';
import { TreeRemover } from '../../src/storage/local/remove-tree.ts';
import { temporaryFolder } from './temporary-folder.ts';

async function setUp(t: TestContext, where: 'disk' | 'memory' = 'disk') {
  const folder = temporaryFolder(t, where);
  const root = join(folder, 'storage');
  const storage = openLocalStorage({ root, durability: 'normal' });
  const publish = async (key: string, content: string) => {
    const { out } = await storage.openAttempt(key);
    fs.mkdirSync(`${out}/sub`);
    fs.writeFileSync(`${out}/sub/run`, content, { mode: 0o755 });
    fs.writeFileSync(`${out}/large`, Buffer.alloc(300_000, 1));
    fs.symlinkSync('sub/run', `${out}/link`);
    const published = await storage.publish(key);
    return { ...published, path: storage.path(published.location) };
  };
  return { folder, root, storage, publish, dataset: await publish('a', 'bytes') };
}

const inodeOf = (path: string) => fs.statSync(path).ino;
const writable = (path: string) => (fs.statSync(path).mode & 0o200) !== 0;

test('a dataset that is only read is given by one link', async (t) => {
  const { folder, dataset } = await setUp(t);
  const target = `${folder}/work/inputs/x`;
  const placer = new FilePlacer();
  await placer.place(dataset.path, target, placeModes.read);
  await placer.place(dataset.path, target, placeModes.read);
  assert.equal(fs.readlinkSync(target), dataset.path);
  await placer.place(`${dataset.path}/link`, `${folder}/work/one`, placeModes.read);
  assert.equal(fs.readFileSync(`${folder}/work/one`, 'utf8'), 'bytes');
  assert.deepEqual(fs.readdirSync(`${folder}/work`).sort(), ['inputs', 'one']);
});

test('what the receiver owns is writable and shares nothing with the dataset', async (t) => {
  const { folder, storage, dataset } = await setUp(t);
  const target = `${folder}/work/mine`;
  const placer = new FilePlacer();
  const remover = new TreeRemover(nodeFileSystem, folder);
  await placer.place(dataset.path, target, placeModes.own, remover);
  await placer.place(dataset.path, target, placeModes.own, remover);
  for (const file of ['sub/run', 'large']) {
    assert.ok(writable(`${target}/${file}`));
    fs.appendFileSync(`${target}/${file}`, 'more');
  }
  fs.writeFileSync(`${target}/new`, '');
  assert.equal(fs.statSync(`${target}/sub/run`).mode & 0o777, 0o755);
  assert.equal(await storage.inspect(dataset.location, dataset, 'contents'), 'intact');
});

test('kept results are hard links where the mode protects them, else copies', async (t) => {
  const { folder, storage, dataset } = await setUp(t);
  await new FilePlacer(nodeFileSystem, true).place(dataset.path, `${folder}/linked`, placeModes.keep);
  await new FilePlacer(nodeFileSystem, false).place(dataset.path, `${folder}/copied`, placeModes.keep);
  const shares = inodeOf(`${folder}/linked/large`) === inodeOf(`${dataset.path}/large`);
  // On a file system with reflinks neither shares an inode.
  assert.ok(shares ? !writable(`${folder}/linked/large`) : writable(`${folder}/linked/large`));
  assert.notEqual(inodeOf(`${folder}/copied/large`), inodeOf(`${dataset.path}/large`));
  assert.equal(fs.readlinkSync(`${folder}/copied/link`), 'sub/run');
  fs.writeFileSync(`${folder}/copied/sub/run`, 'changed by root');
  assert.equal(await storage.inspect(dataset.location, dataset, 'contents'), 'intact');
});

test('a published file that somebody made writable is not hard-linked', async (t) => {
  const { folder, dataset } = await setUp(t);
  fs.chmodSync(`${dataset.path}/large`, 0o644);
  await new FilePlacer(nodeFileSystem, true).place(`${dataset.path}/large`, `${folder}/x`, placeModes.keep);
  assert.notEqual(inodeOf(`${folder}/x`), inodeOf(`${dataset.path}/large`));
});

test('a hard link across file systems becomes a copy', async (t) => {
  const elsewhere = temporaryFolder(t, 'memory');
  const { dataset } = await setUp(t);
  await new FilePlacer(nodeFileSystem, true).place(dataset.path, `${elsewhere}/x`, placeModes.keep);
  assert.equal(fs.readFileSync(`${elsewhere}/x/sub/run`, 'utf8'), 'bytes');
});

test('on a file system with reflinks files are cloned', async (t) => {
  let mounted: string | undefined;
  t.after(() => mounted && execFileSync('umount', ['-l', mounted]));
  const folder = temporaryFolder(t);
  try {
    fs.mkdirSync(`${folder}/xfs`);
    execFileSync('truncate', ['-s', '400M', `${folder}/image`], { stdio: 'pipe' });
    execFileSync('mkfs.xfs', ['-q', `${folder}/image`], { stdio: 'pipe' });
    execFileSync('mount', ['-o', 'loop', `${folder}/image`, `${folder}/xfs`], { stdio: 'pipe' });
    mounted = `${folder}/xfs`;
  } catch {
    return t.skip('needs mkfs.xfs and the right to mount an image');
  }
  fs.writeFileSync(`${mounted}/source`, Buffer.alloc(300_000, 3), { mode: 0o444 });
  await new FilePlacer().place(`${mounted}/source`, `${mounted}/clone`, ['reflink']);
  assert.deepEqual(fs.readFileSync(`${mounted}/clone`), Buffer.alloc(300_000, 3));
  assert.ok(writable(`${mounted}/clone`));
});

test('a result replaces the earlier one that Varve put there, and only when it differs', async (t) => {
  const { folder, root, publish, dataset } = await setUp(t);
  const target = `${folder}/results/new/1`;
  const results = () => new ResultPlacer({ root });
  assert.equal(await results().place(dataset.path, target, dataset.digest), 'placed');
  assert.equal(await results().place(dataset.path, target, dataset.digest), 'unchanged');
  fs.unlinkSync(`${target}/large`);
  assert.equal(await results().place(dataset.path, target, dataset.digest), 'placed');
  const next = await publish('b', 'other');
  assert.equal(await results().place(next.path, `${target}/`, next.digest), 'placed');
  assert.equal(fs.readFileSync(`${target}/sub/run`, 'utf8'), 'other');
  assert.deepEqual(fs.readdirSync(`${folder}/results/new`), ['1']);
});

test('a single file can be a result, and replaces itself', async (t) => {
  const { folder, root, dataset } = await setUp(t);
  const results = new ResultPlacer({ root });
  assert.equal(await results.place(`${dataset.path}/sub/run`, `${folder}/r`, 'd1'), 'placed');
  assert.equal(await results.place(`${dataset.path}/sub/run`, `${folder}/r`, 'd1'), 'unchanged');
  assert.equal(await results.place(`${dataset.path}/large`, `${folder}/r`, 'd2'), 'placed');
  assert.equal(fs.statSync(`${folder}/r`).size, 300_000);
});

test('an empty folder is taken over; whatever Varve did not put there is never touched', async (t) => {
  const { folder, root, dataset } = await setUp(t);
  const place = (target: string) => new ResultPlacer({ root }).place(dataset.path, target, dataset.digest);
  const refused = (message: RegExp) => ({ code: 'PLACE_TARGET_FOREIGN', message });
  fs.mkdirSync(`${folder}/empty`);
  assert.equal(await place(`${folder}/empty`), 'placed');

  fs.mkdirSync(`${folder}/foreign`);
  fs.writeFileSync(`${folder}/foreign/thesis.tex`, 'years of work');
  await assert.rejects(place(`${folder}/foreign`), refused(/"thesis.tex" in it was not put there by Varve/));
  fs.writeFileSync(`${folder}/file`, '');
  await assert.rejects(place(`${folder}/file`), refused(/Varve did not put it there/));
  await assert.rejects(place(`${folder}/file/below`), refused(/a part of the path is a file/));
  await assert.rejects(place(`${root}/datasets`), refused(/inside the storage/));

  fs.writeFileSync(`${folder}/empty/notes.txt`, 'mine');
  await assert.rejects(place(`${folder}/empty`), refused(/"notes.txt" in it was not put there/));
  fs.unlinkSync(`${folder}/empty/notes.txt`);
  fs.unlinkSync(`${folder}/empty/large`);
  fs.writeFileSync(`${folder}/empty/large`, 'edited');
  await assert.rejects(place(`${folder}/empty`), refused(/"large" in it was changed/));
  assert.equal(fs.readFileSync(`${folder}/foreign/thesis.tex`, 'utf8'), 'years of work');
  assert.equal(fs.readFileSync(`${folder}/empty/large`, 'utf8'), 'edited');
});

test('a source that is gone is told, and nothing is left behind', async (t) => {
  const { folder, root } = await setUp(t);
  const placed = new ResultPlacer({ root }).place(`${folder}/nothing`, `${folder}/r/1`, 'x');
  await assert.rejects(placed, { code: 'PLACE_SOURCE_MISSING' });
});

test('after a death at any file operation the target has the old result, the new one or nothing, and is placed anew', async (t) => {
  const { folder, root, publish, dataset } = await setUp(t, 'memory');
  const next = await publish('b', 'other');
  let deaths = 0;
  for (let at = 0, reached = true; reached; at += 1) {
    const target = `${folder}/results/${at}/out`;
    await new ResultPlacer({ root }).place(dataset.path, target, dataset.digest);
    const dying = faultyFileSystem((call) => (call.index === at ? 'crash' : undefined));
    try {
      await new ResultPlacer({ root, fs: dying }).place(next.path, target, next.digest);
      reached = false;
    } catch (error) {
      assert.ok(error instanceof SimulatedCrash, String(error));
      deaths += 1;
    }
    if (fs.existsSync(target)) assert.match(fs.readFileSync(`${target}/sub/run`, 'utf8'), /^(bytes|other)$/);
    await new ResultPlacer({ root }).place(next.path, target, next.digest);
    assert.equal(fs.readFileSync(`${target}/sub/run`, 'utf8'), 'other');
    assert.equal(fs.statSync(`${target}/large`).size, 300_000);
  }
  assert.ok(deaths > 20);
});
