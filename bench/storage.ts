// Measures the local storage: life of tiny datasets at both durabilities, bulk look-up, removal and hashing throughput, with
// how long the event loop was held. `node bench/storage.ts [folder]`; the folder decides which disk is measured.
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Durability } from '../src/storage/local/disk-sync.ts';
import { FileDigests } from '../src/storage/local/file-digests.ts';
import { nodeFileSystem } from '../src/storage/local/file-system.ts';
import { type LocalStorage, openLocalStorage } from '../src/storage/local/local-storage.ts';
import { TreeRemover } from '../src/storage/local/remove-tree.ts';
import { MemoryFileDigestCache } from '../src/storage/memory-file-digest-cache.ts';

// Must be set before the first use of the thread pool, as the command line program does.
process.env.UV_THREADPOOL_SIZE ??= '16';

const tinyCount = 2000;
const hashedMebibytes = 256;
// As many actions as end at about the same time on a busy machine.
const together = 16;

interface Row {
  readonly what: string;
  readonly figure: string;
  readonly perItem: string;
  readonly loopHeldMs: string;
}

const rows: Row[] = [];

async function measure(what: string, items: number, unit: string, work: () => Promise<void>): Promise<void> {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const started = performance.now();
  await work();
  const ms = performance.now() - started;
  delay.disable();
  const rate = (items / ms) * 1000;
  rows.push({
    what,
    figure: `${rate.toFixed(0)} ${unit}/s`,
    perItem: `${((ms / items) * 1000).toFixed(1)} µs`,
    loopHeldMs: (delay.max / 1e6).toFixed(1),
  });
}

async function inGroups(
  count: number,
  size: number,
  work: (index: number) => Promise<unknown>,
): Promise<void> {
  let next = 0;
  const runner = async () => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: size }, runner));
}

async function tinyDatasets(folder: string, durability: Durability): Promise<void> {
  const storage = openLocalStorage({ root: join(folder, durability), durability });
  const locations: string[] = [];
  const keys = Array.from({ length: tinyCount }, (_, index) => `attempt-${index}`);
  await measure(`open attempt`, tinyCount, 'attempts', async () => {
    for (const key of keys) await storage.openAttempt(key);
  });
  for (const key of keys) fs.writeFileSync(`${storage.attemptSpace(key).out}/result.txt`, key);
  await measure(`publish, ${durability}, one after the other`, tinyCount / 4, 'datasets', async () => {
    for (const key of keys.slice(0, tinyCount / 4)) locations.push((await storage.publish(key)).location);
  });
  await measure(`publish, ${durability}, ${together} together`, (tinyCount * 3) / 4, 'datasets', () =>
    inGroups((tinyCount * 3) / 4, together, async (index) => {
      locations.push((await storage.publish(keys[index + tinyCount / 4]!)).location);
    }),
  );
  if (durability === 'normal') await measure('flush', tinyCount, 'datasets', () => storage.flush());
  await measure(`discard, logs kept`, tinyCount, 'attempts', () =>
    inGroups(tinyCount, together, (index) => storage.discardAttempt(keys[index]!)),
  );
  await measure(`inspectMany`, tinyCount, 'datasets', async () => {
    await storage.inspectMany(locations);
  });
  await measure(`remove, ${durability}`, tinyCount, 'datasets', () =>
    inGroups(tinyCount, together, (index) => storage.remove(locations[index]!)),
  );
  await storage.close();
}

async function inputDigests(folder: string): Promise<void> {
  const digests = new FileDigests({ cache: new MemoryFileDigestCache() });
  fs.mkdirSync(join(folder, 'inputs'));
  const paths = Array.from({ length: tinyCount }, (_, index) => join(folder, 'inputs', String(index)));
  for (const path of paths) fs.writeFileSync(path, path);
  // Files that are younger are not remembered.
  await new Promise((resolve) => setTimeout(resolve, 150));
  for (const what of ['new', 'remembered'])
    await measure(`digests of small input files, ${what}`, tinyCount, 'files', async () => {
      await digests.inputs(paths);
    });
  await digests.close();
}

async function wideDataset(storage: LocalStorage): Promise<void> {
  const { out } = await storage.openAttempt('wide');
  const files = 20_000;
  for (let index = 0; index < files; index += 1) fs.writeFileSync(`${out}/${index}`, String(index));
  await measure('publish one dataset of 20,000 files', files, 'files', async () => {
    await storage.publish('wide');
  });
}

async function hashing(storage: LocalStorage, folder: string): Promise<void> {
  const mebibyte = Buffer.alloc(1 << 20, 7);
  const file = join(folder, 'reference');
  fs.writeFileSync(file, '');
  for (let index = 0; index < hashedMebibytes; index += 1) fs.appendFileSync(file, mebibyte);
  await measure('reference: createHash in one loop, nothing else', hashedMebibytes, 'MiB', async () => {
    const fd = fs.openSync(file, 'r');
    const hasher = createHash('sha256');
    while (fs.readSync(fd, mebibyte) > 0) hasher.update(mebibyte);
    fs.closeSync(fd);
  });
  for (const [key, files] of [
    ['1 file', 1],
    ['2 files', 2],
    ['64 files', 64],
    ['1024 files', 1024],
  ] as const) {
    const attempt = key.replace(' ', '-');
    const { out } = await storage.openAttempt(attempt);
    const size = (hashedMebibytes / files) * 1024 * 1024;
    for (let index = 0; index < files; index += 1)
      fs.writeFileSync(`${out}/${index}`, Buffer.alloc(size, index));
    await measure(`publish ${hashedMebibytes} MiB in ${key}`, hashedMebibytes, 'MiB', async () => {
      await storage.publish(attempt);
    });
  }
}

const parent = process.argv[2] ?? tmpdir();
const folder = fs.mkdtempSync(join(parent, 'varve-bench-'));
try {
  for (const durability of ['normal', 'full'] as const) await tinyDatasets(folder, durability);
  const storage = openLocalStorage({ root: join(folder, 'large'), durability: 'normal' });
  await inputDigests(folder);
  await wideDataset(storage);
  await hashing(storage, folder);
  await storage.close();
  console.table(rows);
} finally {
  await new TreeRemover(nodeFileSystem, parent).remove(folder);
}
