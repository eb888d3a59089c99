// Directories of attempts that left nothing serve other attempts, and only those.
import assert from 'node:assert/strict';
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { AttemptSpace } from '../../src/core/ports/storage.ts';
import { type LocalStorage, openLocalStorage } from '../../src/storage/local/local-storage.ts';
import { temporaryFolder } from './temporary-folder.ts';

interface Scene {
  readonly storage: LocalStorage;
  readonly root: string;
  /** Runs an attempt that publishes one file; `job` is what else it does. */
  run(key: string, job?: (space: AttemptSpace) => void, swept?: boolean): Promise<AttemptSpace>;
}

function scene(t: TestContext): Scene {
  const root = join(temporaryFolder(t), 'storage');
  const storage = openLocalStorage({ root });
  t.after(() => storage.close());
  return {
    storage,
    root,
    async run(key, job, swept = true) {
      const space = await storage.openAttempt(key);
      for (const log of ['stdout', 'stderr']) writeFileSync(join(space.logs, log), '', { flag: 'a' });
      writeFileSync(space.control, 'journal');
      writeFileSync(join(space.out, 'f'), key);
      job?.(space);
      await storage.publish(key);
      await storage.discardAttempt(key, { keepLogs: true, swept });
      return space;
    },
  };
}

const inode = (path: string): number => statSync(path).ino;

test('the directory of an attempt that left nothing becomes that of the next', async (t) => {
  const { storage, run } = scene(t);
  let first = 0;
  const old = await run('1-1-a', (space) => {
    first = inode(space.work);
  });
  const space = await storage.openAttempt('2-1-b');
  assert.equal(inode(space.work), first);
  assert.equal(existsSync(old.directory), false);
  assert.deepEqual(readdirSync(space.directory).sort(), ['logs', 'out', 'work']);
  assert.deepEqual(readdirSync(space.out), []);
  const published = await storage.publish('2-1-b');
  assert.equal(published.fileCount, 0);
});

const leavings: Record<string, (space: AttemptSpace) => void> = {
  'a log': (space) => writeFileSync(join(space.logs, 'stdout'), 'hello'),
  'a log of another name': (space) => writeFileSync(join(space.logs, 'trace'), ''),
  'a file in its working folder': (space) => writeFileSync(join(space.work, 'scratch'), ''),
  'a file in a folder of its own': (space) => {
    mkdirSync(join(space.directory, 'tmp'));
    writeFileSync(join(space.directory, 'tmp', 'scratch'), '');
  },
  'a link': (space) => symlinkSync(space.out, join(space.directory, 'more')),
  'a link for its working folder': (space) => {
    rmdirSync(space.work);
    symlinkSync('/tmp', space.work);
  },
  'a link for a log': (space) => {
    rmSync(join(space.logs, 'stdout'));
    symlinkSync('/dev/null', join(space.logs, 'stdout'));
  },
  'a second name of a log': (space) => linkSync(join(space.logs, 'stdout'), join(space.out, 'log')),
  'other permissions': (space) => chmodSync(space.work, 0o500),
};

for (const [what, leave] of Object.entries(leavings)) {
  test(`a directory with ${what} in it stays with its attempt`, async (t) => {
    const { storage, run } = scene(t);
    const old = await run('1-1-a', leave);
    const before = readdirSync(old.logs);
    const space = await storage.openAttempt('2-1-b');
    assert.ok(existsSync(old.logs));
    assert.notEqual(inode(space.directory), inode(old.directory));
    assert.deepEqual(readdirSync(old.logs), before);
    assert.deepEqual(readdirSync(space.work), []);
    assert.deepEqual(readdirSync(space.logs), []);
  });
}

test('notes beside the folders are removed, and empty folders stay', async (t) => {
  const { storage, run } = scene(t);
  await run('1-1-a', (space) => {
    mkdirSync(join(space.directory, 'tmp'));
    writeFileSync(join(space.directory, 'collected.json'), '{}');
  });
  const space = await storage.openAttempt('2-1-b');
  assert.deepEqual(readdirSync(space.directory).sort(), ['logs', 'out', 'tmp', 'work']);
});

test('a directory in which a process may be left stays with its attempt', async (t) => {
  const { storage, run } = scene(t);
  const old = await run('1-1-a', undefined, false);
  const space = await storage.openAttempt('2-1-b');
  assert.ok(existsSync(old.logs));
  assert.notEqual(inode(space.directory), inode(old.directory));
});

test('a directory that was cleaned away, wholly or in part, does no harm', async (t) => {
  const { storage, run, root } = scene(t);
  const one = await storage.openAttempt('1-1-a');
  const two = await storage.openAttempt('2-1-b');
  for (const key of ['1-1-a', '2-1-b']) {
    writeFileSync(storage.attemptSpace(key).control, '');
    await storage.publish(key);
    await storage.discardAttempt(key, { keepLogs: true, swept: true });
  }
  rmdirSync(two.work);
  rmSync(one.directory, { recursive: true });
  for (const key of ['3-1-c', '4-1-d', '5-1-e']) {
    const space = await storage.openAttempt(key);
    assert.deepEqual(readdirSync(space.directory).sort(), ['logs', 'out', 'work']);
  }
  await run('6-1-f');
  renameSync(root, `${root}-away`);
  await assert.rejects(storage.openAttempt('7-1-g'), { code: 'STORAGE_GONE' });
});
