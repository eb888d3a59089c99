// Every file operation of publish, remove and discard is a place where the process may die or the disk may fail. Each is
// tried in turn; afterwards a healthy storage repeats the operation and must end where an undisturbed one ends.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { VarveError } from '../../src/core/errors.ts';
import type { AttemptSpace, PublishedFiles } from '../../src/core/ports/storage.ts';
import type { FileCall, FileFault } from '../../src/storage/local/faulty-file-system.ts';
import { faultyFileSystem, SimulatedCrash } from '../../src/storage/local/faulty-file-system.ts';
import { type LocalStorage, openLocalStorage } from '../../src/storage/local/local-storage.ts';
import { temporaryFolder } from './temporary-folder.ts';

type Fill = (space: AttemptSpace, input: string, folder: string) => void;

const outputs: Readonly<Record<string, Fill>> = {
  'one small file': ({ out }) => fs.writeFileSync(`${out}/f`, 'x'),
  'a tree with directories, links and a large file': ({ out }) => {
    fs.mkdirSync(`${out}/a/b`, { recursive: true });
    fs.writeFileSync(`${out}/a/b/large`, Buffer.alloc(300_000, 7));
    fs.symlinkSync(`${out}/a/b/large`, `${out}/link`);
  },
  'links to a published dataset and names elsewhere': ({ out }, input, folder) => {
    fs.symlinkSync(`${input}/f`, `${out}/file`);
    fs.symlinkSync(`${input}/sub`, `${out}/folder`);
    fs.writeFileSync(`${folder}/elsewhere`, 'shared');
    fs.linkSync(`${folder}/elsewhere`, `${out}/shared`);
  },
  'enough files for a manifest': ({ out }) => {
    for (let index = 0; index < 256; index += 1) fs.writeFileSync(`${out}/${index}`, '');
  },
};

interface World {
  readonly folder: string;
  readonly input: string;
  open(fault?: (call: FileCall) => FileFault): LocalStorage;
}

async function makeWorld(t: TestContext, durability: 'normal' | 'full'): Promise<World> {
  const folder = temporaryFolder(t, 'memory');
  const root = join(folder, 'storage');
  const open = (fault?: (call: FileCall) => FileFault) =>
    openLocalStorage({ root, durability, hashThreads: 1, ...(fault && { fs: faultyFileSystem(fault) }) });
  const storage = open();
  const { out } = await storage.openAttempt('input');
  fs.writeFileSync(`${out}/f`, 'from another dataset');
  fs.mkdirSync(`${out}/sub`);
  fs.writeFileSync(`${out}/sub/g`, 'g');
  const { location } = await storage.publish('input');
  return { folder, input: storage.path(location), open };
}

function trashed(world: World): readonly string[] {
  const names = fs.readdirSync(`${world.folder}/storage/trash`, { recursive: true, encoding: 'utf8' });
  return names.filter((name) => name.split('/').length === 2);
}

// Opening the storage makes file calls too; only those of the operation itself are disturbed.
async function disturbed(
  world: World,
  at: number,
  fault: FileFault,
  work: (storage: LocalStorage) => Promise<unknown>,
): Promise<'reached' | 'not reached'> {
  let armed = false;
  let calls = 0;
  let reached = false;
  const storage = world.open(() => {
    if (!armed || calls++ !== at) return undefined;
    reached = true;
    return fault;
  });
  await storage.close();
  armed = true;
  try {
    await work(storage);
  } catch (error) {
    if (fault === 'crash') assert.ok(error instanceof SimulatedCrash, String(error));
    else assert.ok(error instanceof VarveError && !['bug', 'corrupt'].includes(error.kind), String(error));
  }
  return reached ? 'reached' : 'not reached';
}

const durabilities = ['normal', 'full'] as const;

for (const durability of durabilities)
  for (const [what, fill] of Object.entries(outputs))
    test(`publishing ${what} (${durability}) can be repeated after a death at any file operation`, async (t) => {
      const world = await makeWorld(t, durability);
      const storage = world.open();
      // The many files differ in nothing: some of them will do.
      const step = what.startsWith('enough') ? 97 : 1;
      let expected: PublishedFiles | undefined;
      let deaths = 0;
      for (let at = 0, reached = true; reached; at += step) {
        const key = `k${at}`;
        fill(await storage.openAttempt(key), world.input, world.folder);
        reached = (await disturbed(world, at, 'crash', (dying) => dying.publish(key))) === 'reached';
        if (reached) deaths += 1;
        const published = await world.open().publish(key);
        expected ??= published;
        assert.deepEqual({ ...published, location: '' }, { ...expected, location: '' }, `died at call ${at}`);
        assert.equal(await storage.inspect(published.location, published, 'contents'), 'intact');
        assert.equal(fs.statSync(storage.path(published.location)).mode & 0o777, 0o555);
        await storage.discardAttempt(key, { keepLogs: false });
      }
      assert.ok(deaths > 10, `only ${deaths} deaths`);
    });

for (const fault of ['ENOSPC', 'EIO', 'EROFS', 'EACCES'] as const)
  test(`publishing fails clearly or succeeds when any one file operation says ${fault}, and then succeeds`, async (t) => {
    const world = await makeWorld(t, 'full');
    const storage = world.open();
    const fill = outputs['links to a published dataset and names elsewhere']!;
    const digests = new Set<string>();
    for (let at = 0, reached = true; reached; at += 1) {
      const key = `k${at}`;
      fill(await storage.openAttempt(key), world.input, world.folder);
      reached = (await disturbed(world, at, fault, (failing) => failing.publish(key))) === 'reached';
      digests.add((await storage.publish(key)).digest);
    }
    assert.equal(digests.size, 1);
  });

for (const fault of ['crash', 'EIO'] as const)
  test(`removing can be repeated after ${fault} at any file operation, and leaves nothing`, async (t) => {
    const world = await makeWorld(t, 'normal');
    const storage = world.open();
    for (let at = 0, reached = true; reached; at += 1) {
      const key = `k${at}`;
      outputs['a tree with directories, links and a large file']!(await storage.openAttempt(key), '', '');
      const published = await storage.publish(key);
      reached =
        (await disturbed(world, at, fault, (dying) => dying.remove(published.location))) === 'reached';
      const seen = await storage.inspect(published.location, published, 'contents');
      // I3: the dataset is whole until it is gone.
      assert.ok(seen === 'intact' || seen === 'missing', `${seen} after call ${at}`);
      await storage.remove(published.location);
      assert.deepEqual(await storage.inspectMany([published.location]), ['missing']);
      assert.deepEqual(trashed(world), []);
    }
  });

test('what a dead process left in the trash is swept at the next start', async (t) => {
  const world = await makeWorld(t, 'normal');
  const storage = world.open();
  fs.writeFileSync(`${(await storage.openAttempt('k')).out}/f`, 'x');
  const { location } = await storage.publish('k');
  await disturbed(world, 4, 'crash', (dying) => dying.remove(location));
  assert.deepEqual(trashed(world), [location]);
  await world.open().close();
  assert.deepEqual(trashed(world), []);
});

test('discarding can be repeated after a death at any file operation', async (t) => {
  const world = await makeWorld(t, 'normal');
  const storage = world.open();
  for (let at = 0, reached = true; reached; at += 1) {
    const space = await storage.openAttempt('k');
    fs.mkdirSync(`${space.work}/a/b`, { recursive: true });
    fs.writeFileSync(`${space.work}/a/b/f`, 'x');
    fs.writeFileSync(`${space.logs}/stdout`, 'kept');
    reached = (await disturbed(world, at, 'crash', (dying) => dying.discardAttempt('k'))) === 'reached';
    await storage.discardAttempt('k');
    assert.deepEqual(fs.readdirSync(space.directory, { recursive: true }).sort(), ['logs', 'logs/stdout']);
  }
});
