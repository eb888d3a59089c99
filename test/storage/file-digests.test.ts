import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { hash } from 'node:crypto';
import fs from 'node:fs';
import { type TestContext, test } from 'node:test';
import type { VarveError } from '../../src/core/errors.ts';
import { treeDigest } from '../../src/core/tree-digest.ts';
import { FileDigests } from '../../src/storage/local/file-digests.ts';
import { nodeFileSystem } from '../../src/storage/local/file-system.ts';
import { MemoryFileDigestCache } from '../../src/storage/memory-file-digest-cache.ts';
import { temporaryFolder } from './temporary-folder.ts';

const sha256 = (text: string) => hash('sha256', text, 'hex');
const long = () => new Date(Date.now() - 60_000);

function setUp(t: TestContext) {
  const folder = temporaryFolder(t);
  const cache = new MemoryFileDigestCache();
  let opened = 0;
  const fileSystem = {
    ...nodeFileSystem,
    openSync: (...args: Parameters<typeof fs.openSync>) => {
      opened += 1;
      return fs.openSync(...args);
    },
  };
  const digests = new FileDigests({ cache, fs: fileSystem, hashThreads: 1 });
  t.after(() => digests.close());
  return { folder, cache, digests, opened: () => opened };
}

// The time of the last change of an inode cannot be set: only waiting makes a file old.
async function settle(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 130));
}

test('a file is hashed once, until it changes', async (t) => {
  const { folder, digests, opened } = setUp(t);
  const path = `${folder}/f`;
  fs.writeFileSync(path, 'one');
  await settle();
  const once = { kind: 'file', digest: sha256('one'), sizeBytes: 3, fileCount: 1 };
  assert.deepEqual(await digests.inputs([path, path]), [once, once]);
  const before = opened();
  assert.deepEqual(await digests.inputs([path]), [once]);
  assert.equal(opened(), before);
  fs.writeFileSync(path, 'two');
  assert.equal((await digests.inputs([path]))[0]?.digest, sha256('two'));
});

test('same size, same modification time and another content is another file, because its change time differs', async (t) => {
  const { folder, digests } = setUp(t);
  const path = `${folder}/f`;
  const time = long();
  fs.writeFileSync(path, 'one');
  fs.utimesSync(path, time, time);
  await settle();
  await digests.inputs([path]);
  fs.writeFileSync(path, 'two');
  fs.utimesSync(path, time, time);
  assert.equal((await digests.inputs([path]))[0]?.digest, sha256('two'));
});

test('a file that was just changed is not remembered', async (t) => {
  const { folder, digests, opened } = setUp(t);
  const path = `${folder}/f`;
  for (let round = 0; round < 20; round += 1) {
    fs.writeFileSync(path, `round ${round % 10}`);
    assert.equal((await digests.inputs([path]))[0]?.digest, sha256(`round ${round % 10}`));
  }
  assert.equal(opened(), 20);
});

test('a renamed file is known by its inode, a copy is not', async (t) => {
  const { folder, digests, opened } = setUp(t);
  fs.writeFileSync(`${folder}/a`, 'x');
  await settle();
  await digests.files([`${folder}/a`]);
  fs.linkSync(`${folder}/a`, `${folder}/b`);
  // Linking changes the inode's change time, so even this is hashed again: too careful, never wrong.
  await digests.files([`${folder}/b`]);
  assert.equal(opened(), 2);
});

test('files of every size class and both algorithms give what the command line tools give', async (t) => {
  const { folder, digests } = setUp(t);
  const paths = [0, 5, 300_000, 34_000_000].map((size) => {
    fs.writeFileSync(`${folder}/${size}`, Buffer.alloc(size, 3));
    return `${folder}/${size}`;
  });
  for (const algorithm of ['sha256', 'sha1'] as const) {
    const said = execFileSync(`${algorithm}sum`, paths, { encoding: 'utf8' });
    const found = await digests.files(paths, algorithm);
    assert.deepEqual(
      found.map((each) => each.digest),
      said
        .trim()
        .split('\n')
        .map((line) => line.split(' ')[0]),
    );
  }
});

test('a directory is digested as an action sees it: links out of it count as what they lead to', async (t) => {
  const { folder, digests } = setUp(t);
  fs.mkdirSync(`${folder}/in/sub/empty`, { recursive: true });
  fs.mkdirSync(`${folder}/out/deep`, { recursive: true });
  fs.writeFileSync(`${folder}/in/run`, 'x', { mode: 0o755 });
  fs.writeFileSync(`${folder}/out/deep/data`, 'outside');
  fs.symlinkSync('../run', `${folder}/in/sub/here`);
  fs.symlinkSync('../out', `${folder}/in/linked`);
  fs.symlinkSync(`${folder}/out/deep/data`, `${folder}/in/file`);
  fs.symlinkSync('/no/such', `${folder}/in/dangling`);
  const outside = { executable: false, sizeBytes: 7, sha256: sha256('outside') };
  const [digest] = await digests.inputs([`${folder}/in`]);
  assert.deepEqual(digest, {
    kind: 'directory',
    sizeBytes: 15,
    fileCount: 3,
    digest: treeDigest([
      { kind: 'file', path: 'run', executable: true, sizeBytes: 1, sha256: sha256('x') },
      { kind: 'directory', path: 'sub' },
      { kind: 'directory', path: 'sub/empty' },
      { kind: 'symlink', path: 'sub/here', target: '../run' },
      { kind: 'directory', path: 'linked' },
      { kind: 'directory', path: 'linked/deep' },
      { kind: 'file', path: 'linked/deep/data', ...outside },
      { kind: 'file', path: 'file', ...outside },
      { kind: 'symlink', path: 'dangling', target: '/no/such' },
    ]),
  });
});

test('everything that is wrong with inputs is told at once, and nothing hangs', async (t) => {
  const { folder, digests } = setUp(t);
  execFileSync('mkfifo', [`${folder}/pipe`]);
  fs.mkdirSync(`${folder}/round/a`, { recursive: true });
  fs.symlinkSync('../..', `${folder}/round/a/up`);
  fs.mkdirSync(`${folder}/bad`);
  fs.writeFileSync(Buffer.concat([Buffer.from(`${folder}/bad/`), Buffer.from([0xff])]), '');
  fs.writeFileSync(`${folder}/fine`, '');
  fs.symlinkSync('loop', `${folder}/loop`);
  const names = ['missing', 'fine', 'pipe', 'round', 'bad', 'loop', 'fine/below'];
  await assert.rejects(digests.inputs(names.map((name) => `${folder}/${name}`)), (error: VarveError) => {
    assert.deepEqual(
      [error, ...error.problems].map((each) => each.code),
      [
        'INPUT_MISSING',
        'INPUT_NOT_A_FILE',
        'INPUT_LINK_LOOP',
        'INPUT_NAME_NOT_UTF8',
        'INPUT_LINK_LOOP',
        'INPUT_MISSING',
      ],
    );
    return true;
  });
});

test('a file that keeps changing while it is read is refused in the end', async (t) => {
  const folder = temporaryFolder(t);
  const path = `${folder}/growing`;
  fs.writeFileSync(path, 'x');
  const growing = {
    ...nodeFileSystem,
    readSync: (...args: Parameters<typeof fs.readSync>) => {
      const bytes = fs.readSync(...args);
      if (bytes === 0) fs.appendFileSync(path, 'x');
      return bytes;
    },
  } as typeof nodeFileSystem;
  const digests = new FileDigests({ cache: new MemoryFileDigestCache(), fs: growing });
  await assert.rejects(digests.files([path]), { code: 'INPUT_CHANGING' });
});

test('the cache in memory forgets the oldest entries beyond its limit', () => {
  const cache = new MemoryFileDigestCache(2);
  cache.put([
    { key: 'a', digest: '1' },
    { key: 'b', digest: '2' },
    { key: 'c', digest: '3' },
  ]);
  assert.deepEqual(cache.get(['a', 'b', 'c']), [undefined, '2', '3']);
});
