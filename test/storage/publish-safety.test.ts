import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import fc from 'fast-check';
import type { VarveError } from '../../src/core/errors.ts';
import type { AttemptSpace } from '../../src/core/ports/storage.ts';
import { type LocalStorage, openLocalStorage } from '../../src/storage/local/local-storage.ts';
import { resolveLink } from '../../src/storage/local/resolve-link.ts';
import { temporaryFolder } from './temporary-folder.ts';

interface Bench {
  readonly folder: string;
  readonly storage: LocalStorage;
  readonly space: AttemptSpace;
  readonly out: string;
}

async function setUp(t: TestContext): Promise<Bench> {
  const folder = temporaryFolder(t);
  const storage = openLocalStorage({ root: join(folder, 'storage'), durability: 'normal' });
  t.after(() => storage.close());
  const space = await storage.openAttempt('a1');
  return { folder, storage, space, out: space.out };
}

async function publishInput(storage: LocalStorage): Promise<string> {
  const { out } = await storage.openAttempt('input');
  fs.mkdirSync(`${out}/sub`);
  fs.writeFileSync(`${out}/big`, 'input bytes');
  fs.writeFileSync(`${out}/sub/x`, 'x');
  fs.symlinkSync('../big', `${out}/sub/up`);
  return storage.path((await storage.publish('input')).location);
}

const outside: readonly (readonly [string, (bench: Bench) => string])[] = [
  ['an absolute path', () => '/etc/passwd'],
  ['a relative path that climbs out', () => '../../../x'],
  ['the scratch directory', ({ space }) => `${space.work}/file`],
  ['nothing, outside', () => '/no/such/thing'],
  ['the folder of all datasets', ({ folder }) => `${folder}/storage/datasets`],
  ['the parent of the output directory', () => '..'],
];

for (const [what, target] of outside)
  test(`a link to ${what} is refused by name`, async (t) => {
    const bench = await setUp(t);
    fs.writeFileSync(`${bench.space.work}/file`, 'scratch');
    fs.symlinkSync(target(bench), `${bench.out}/link`);
    await assert.rejects(bench.storage.publish('a1'), (error: VarveError) => {
      assert.equal(error.code, 'OUTPUT_LINK_OUTSIDE');
      assert.equal(error.kind, 'failed');
      assert.match(error.message, /the output link is a link to/);
      return true;
    });
  });

test('a link that leaves the output only by way of another link is refused', async (t) => {
  const { storage, out } = await setUp(t);
  fs.mkdirSync(`${out}/p/q`, { recursive: true });
  fs.symlinkSync('../..', `${out}/p/q/top`);
  fs.symlinkSync('top/../seal', `${out}/p/q/sly`);
  await assert.rejects(storage.publish('a1'), { code: 'OUTPUT_LINK_OUTSIDE', message: /p\/q\/sly/ });
});

test('all problems of an output are told at once', async (t) => {
  const { storage, out } = await setUp(t);
  fs.symlinkSync('/etc', `${out}/one`);
  fs.symlinkSync('/etc', `${out}/two`);
  await assert.rejects(storage.publish('a1'), (error: VarveError) => error.problems.length === 1);
});

test('links within the output survive, absolute ones as relative ones', async (t) => {
  const { storage, out } = await setUp(t);
  fs.mkdirSync(`${out}/a/b`, { recursive: true });
  fs.writeFileSync(`${out}/a/file`, 'x');
  fs.symlinkSync('../file', `${out}/a/b/relative`);
  fs.symlinkSync(`${out}/a/file`, `${out}/a/b/absolute`);
  fs.symlinkSync(out, `${out}/a/root`);
  fs.symlinkSync('missing', `${out}/dangling`);
  fs.symlinkSync('loop', `${out}/loop`);
  const published = await storage.publish('a1');
  const path = storage.path(published.location);
  const links = published.entries.filter((entry) => entry.kind === 'symlink');
  assert.deepEqual(
    links.map((link) => [link.path, link.target]),
    [
      ['a/b/absolute', '../file'],
      ['a/b/relative', '../file'],
      ['a/root', '..'],
      ['dangling', 'missing'],
      ['loop', 'loop'],
    ],
  );
  assert.equal(fs.readFileSync(`${path}/a/root/a/b/absolute`, 'utf8'), 'x');
});

test('links into published datasets become the files themselves, sharing their bytes', async (t) => {
  const { storage, out, space } = await setUp(t);
  const input = await publishInput(storage);
  fs.symlinkSync(`${input}/big`, `${out}/file`);
  fs.symlinkSync(`${input}/sub`, `${out}/folder`);
  fs.symlinkSync(input, `${space.work}/staged`);
  fs.symlinkSync(`${space.work}/staged`, `${out}/whole`);
  fs.symlinkSync('folder/x', `${out}/through`);
  const published = await storage.publish('a1');
  const path = storage.path(published.location);
  assert.deepEqual(
    published.entries.map((entry) => `${entry.kind} ${entry.path}`),
    [
      'file file',
      'directory folder',
      'file folder/up',
      'file folder/x',
      'symlink through',
      'directory whole',
      'file whole/big',
      'directory whole/sub',
      'symlink whole/sub/up',
      'file whole/sub/x',
    ],
  );
  assert.equal(fs.readFileSync(`${path}/through`, 'utf8'), 'x');
  assert.equal(fs.statSync(`${path}/file`).ino, fs.statSync(`${input}/big`).ino);
  await storage.remove((await storage.publish('input')).location);
  assert.equal(await storage.inspect(published.location, published, 'contents'), 'intact');
});

test('links to declared inputs become copies; the input may change afterwards', async (t) => {
  const { storage, out, folder } = await setUp(t);
  fs.mkdirSync(`${folder}/user`);
  fs.writeFileSync(`${folder}/user/data`, 'mine');
  fs.symlinkSync(`${folder}/user/data`, `${out}/data`);
  fs.symlinkSync(`${folder}/user`, `${out}/all`);
  await assert.rejects(storage.publish('a1'), { code: 'OUTPUT_LINK_OUTSIDE' });
  const published = await storage.publish('a1', { inputs: [`${folder}/user`] });
  fs.writeFileSync(`${folder}/user/data`, 'changed');
  assert.equal(await storage.inspect(published.location, published, 'contents'), 'intact');
  assert.equal(fs.readFileSync(`${storage.path(published.location)}/all/data`, 'utf8'), 'mine');
});

test('a pipe, a socket and a pipe in a linked input are refused and never waited for', async (t) => {
  const { storage, out, folder } = await setUp(t);
  execFileSync('mkfifo', [`${out}/pipe`]);
  await assert.rejects(storage.publish('a1'), { code: 'OUTPUT_SPECIAL_FILE', message: /the output pipe is/ });
  fs.unlinkSync(`${out}/pipe`);
  const server = net.createServer().listen(`${out}/s`);
  t.after(() => server.close());
  await new Promise((resolve) => server.once('listening', resolve));
  await assert.rejects(storage.publish('a1'), { code: 'OUTPUT_SPECIAL_FILE' });
  fs.unlinkSync(`${out}/s`);
  fs.mkdirSync(`${folder}/user`);
  execFileSync('mkfifo', [`${folder}/user/pipe`]);
  fs.symlinkSync(`${folder}/user`, `${out}/user`);
  await assert.rejects(storage.publish('a1', { inputs: [`${folder}/user`] }), {
    code: 'OUTPUT_SPECIAL_FILE',
  });
});

test('a file that has another name elsewhere cannot be changed through it', async (t) => {
  const { storage, out, folder } = await setUp(t);
  for (const [name, bytes] of [
    ['small', 10],
    ['large', 300_000],
  ] as const) {
    fs.writeFileSync(`${folder}/${name}`, Buffer.alloc(bytes, 1));
    fs.linkSync(`${folder}/${name}`, `${out}/${name}`);
    fs.linkSync(`${folder}/${name}`, `${out}/${name}-too`);
  }
  fs.writeFileSync(`${out}/a`, 'both names here');
  fs.linkSync(`${out}/a`, `${out}/b`);
  const published = await storage.publish('a1');
  for (const name of ['small', 'large']) fs.writeFileSync(`${folder}/${name}`, 'overwritten');
  assert.equal(await storage.inspect(published.location, published, 'contents'), 'intact');
  const path = storage.path(published.location);
  assert.equal(fs.statSync(`${path}/a`).ino, fs.statSync(`${path}/b`).ino);
  assert.equal(fs.statSync(`${folder}/small`).mode & 0o200, 0o200);
});

test('an output directory that was replaced by a file or a link is refused', async (t) => {
  const { storage, out, folder } = await setUp(t);
  fs.rmdirSync(out);
  fs.symlinkSync(folder, out);
  await assert.rejects(storage.publish('a1'), { code: 'OUTPUT_NOT_A_FOLDER' });
  fs.unlinkSync(out);
  fs.writeFileSync(out, '');
  await assert.rejects(storage.publish('a1'), { code: 'OUTPUT_NOT_A_FOLDER' });
});

test('odd names survive unchanged', async (t) => {
  const { storage, out } = await setUp(t);
  const names = [
    'new\nline',
    '-rf',
    ' ',
    'a"b\\c',
    'é',
    'e\u0301',
    '\u{1f600}',
    '\ufffd',
    'x'.repeat(255),
    '…',
  ];
  for (const name of names) fs.writeFileSync(`${out}/${name}`, name);
  const published = await storage.publish('a1');
  assert.deepEqual(new Set(published.entries.map((entry) => entry.path)), new Set(names));
  assert.equal(await storage.inspect(published.location, published, 'contents'), 'intact');
  for (const name of names)
    assert.equal(fs.readFileSync(`${storage.path(published.location)}/${name}`, 'utf8'), name);
  await storage.remove(published.location);
  assert.deepEqual(await storage.inspectMany([published.location]), ['missing']);
});

test('a name that is not UTF-8 is refused with its bytes, and can be discarded', async (t) => {
  const { storage, out, space } = await setUp(t);
  const name = Buffer.concat([Buffer.from(`${out}/sub/bad`), Buffer.from([0xff, 0x0a])]);
  fs.mkdirSync(`${out}/sub`);
  fs.writeFileSync(name, '');
  await assert.rejects(storage.publish('a1'), {
    code: 'OUTPUT_NAME_NOT_UTF8',
    message: /sub\/bad\\xff\\x0a/,
  });
  await storage.discardAttempt('a1', { keepLogs: false });
  assert.ok(!fs.existsSync(space.directory));
});

test('a tree deeper than a path can say is refused clearly, and can be discarded', async (t) => {
  const { storage, out, space } = await setUp(t);
  const nest =
    'd="$(printf "%0200d" 0)"; for i in $(seq 60); do mkdir "$d" && cd -P "$d" || exit 1; done; echo x > f';
  execFileSync('bash', ['-c', nest], { cwd: out });
  await assert.rejects(storage.publish('a1'), { code: 'STORAGE_PATH_TOO_LONG' });
  await storage.discardAttempt('a1', { keepLogs: false });
  assert.ok(!fs.existsSync(space.directory));
});

test('modes are normalised: unreadable and read-only things are published, special bits are dropped', async (t) => {
  const { storage, out } = await setUp(t);
  fs.mkdirSync(`${out}/closed`);
  fs.writeFileSync(`${out}/closed/secret`, 's');
  fs.chmodSync(`${out}/closed/secret`, 0o000);
  fs.chmodSync(`${out}/closed`, 0o000);
  fs.writeFileSync(`${out}/setuid`, 's');
  fs.chmodSync(`${out}/setuid`, 0o4755);
  fs.chmodSync(out, 0o500);
  const published = await storage.publish('a1');
  const path = storage.path(published.location);
  const modes = ['', 'closed', 'closed/secret', 'setuid'].map(
    (part) => fs.statSync(`${path}/${part}`).mode & 0o7777,
  );
  assert.deepEqual(modes, [0o555, 0o555, 0o444, 0o555]);
});

test('files of every size class are hashed alike, and large trees keep a manifest', async (t) => {
  const { storage, out } = await setUp(t);
  const sizes = [0, 1, 262_144, 262_145, 3_000_000, 34_000_000];
  for (const size of sizes) fs.writeFileSync(`${out}/${size}`, Buffer.alloc(size, size % 251));
  const published = await storage.publish('a1');
  for (const entry of published.entries) {
    const path = `${storage.path(published.location)}/${entry.path}`;
    const said = execFileSync('sha256sum', [path], { encoding: 'utf8' }).slice(0, 64);
    assert.ok(entry.kind === 'file' && entry.sha256 === said, entry.path);
  }
  assert.equal(published.sizeBytes, 37_524_290);
  const manifest = join(
    storage.path(published.location),
    '../../../manifests',
    `${published.location}.ndjson`,
  );
  assert.ok(fs.existsSync(manifest));
  assert.deepEqual(await storage.entries(published.location), published.entries);
  fs.chmodSync(manifest, 0o644);
  fs.truncateSync(manifest, 200);
  assert.deepEqual(await storage.entries(published.location), published.entries);
  await storage.remove(published.location);
  assert.ok(!fs.existsSync(manifest));
});

test('the verdict on a link agrees with where the kernel leads', async (t) => {
  const folder = temporaryFolder(t);
  const part = fc.constantFrom('a', 'b', 'c', '..', '.');
  const target = fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/'));
  const links = fc.dictionary(fc.constantFrom('l1', 'l2', 'a/l3', 'a/b/l4'), target, {
    minKeys: 1,
    maxKeys: 4,
  });
  let trial = 0;
  fc.assert(
    fc.property(
      links,
      fc.array(fc.constantFrom('l1', 'l2', 'l3', '..', 'b'), { maxLength: 3 }),
      (others, via) => {
        const root = `${folder}/${trial++}/x/y`;
        fs.mkdirSync(`${root}/a/b/c`, { recursive: true });
        const all = { ...others, 'a/probe': ['..', ...via, '..', 'a'].join('/') };
        const entries = Object.entries(all).map(([path, text]) => ({ path, kind: 'symlink', target: text }));
        for (const entry of entries) fs.symlinkSync(entry.target, `${root}/${entry.path}`);
        const byPath = new Map(entries.map((entry) => [entry.path, entry]));
        const allInside = entries.every((entry) => resolveLink(byPath, entry, [root]) === 'inside');
        for (const entry of entries) {
          const real = realPath(`${root}/${entry.path}`);
          if (allInside && real !== undefined)
            assert.ok(
              real === root || real.startsWith(`${root}/`),
              `${entry.path} -> ${entry.target}: ${real}`,
            );
        }
      },
    ),
    { numRuns: 150 },
  );
});

function realPath(path: string): string | undefined {
  try {
    return fs.realpathSync(path);
  } catch {
    return undefined;
  }
}
