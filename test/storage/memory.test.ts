// The part of the storage contract that does not need files of this machine, on the storage of the simulations.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemoryStorage } from '../../src/storage/memory.ts';

async function publishText(storage: MemoryStorage, key: string, text: string) {
  const space = await storage.openAttempt(key);
  storage.write(`${space.out}/result.txt`, text);
  return storage.publish(key);
}

async function collect(names: AsyncIterable<string>): Promise<string[]> {
  const all: string[] = [];
  for await (const name of names) all.push(name);
  return all.sort();
}

test('publishing moves the output to the location of the attempt and may be repeated', async () => {
  const storage = new MemoryStorage();
  const first = await publishText(storage, 'a1', 'x');
  assert.equal(first.location, storage.locationOf('a1'));
  assert.equal(storage.read(`${storage.attemptSpace('a1').out}/result.txt`), undefined);
  assert.equal(storage.read(`${storage.path(first.location)}/result.txt`), 'x');
  assert.deepEqual(await storage.publish('a1'), first);
  await storage.openAttempt('a1');
  await storage.discardAttempt('a1');
  assert.deepEqual(await storage.publish('a1'), first);
  assert.equal((await publishText(storage, 'a2', 'x')).digest, first.digest);
  assert.notEqual((await publishText(storage, 'a3', 'y')).digest, first.digest);
});

test('publishing an attempt that has no output is a clear error', async () => {
  await assert.rejects(new MemoryStorage().publish('never-opened'), { code: 'OUTPUT_FOLDER_MISSING' });
});

test('inspection tells intact, missing and damaged files apart', async () => {
  const storage = new MemoryStorage();
  const published = await publishText(storage, 'a1', 'precious');
  const look = async () => [
    await storage.inspect(published.location, published, 'exists'),
    await storage.inspect(published.location, published, 'sizes'),
    await storage.inspect(published.location, published, 'contents'),
  ];
  assert.deepEqual(await look(), ['intact', 'intact', 'intact']);
  storage.damage(published.location, 'result.txt', 'preciouS');
  assert.deepEqual(await look(), ['intact', 'intact', 'damaged']);
  storage.damage(published.location, 'result.txt', 'pre');
  assert.deepEqual(await look(), ['intact', 'damaged', 'damaged']);
  await storage.remove(published.location);
  await storage.remove(published.location);
  assert.deepEqual(await look(), ['missing', 'missing', 'missing']);
  assert.deepEqual(await storage.inspectMany([published.location]), ['missing']);
});

test('a discarded attempt leaves its logs, or nothing', async () => {
  const storage = new MemoryStorage();
  const space = await storage.openAttempt('a1');
  storage.write(`${space.work}/scratch`, 'x');
  storage.write(`${space.logs}/stdout`, 'said');
  await storage.discardAttempt('a1');
  assert.deepEqual(storage.scratch('a1'), []);
  assert.equal(storage.read(`${space.logs}/stdout`), 'said');
  assert.deepEqual(await collect(storage.attempts()), ['a1']);
  await storage.discardAttempt('a1', { keepLogs: false });
  assert.deepEqual(await collect(storage.attempts()), []);
});

test('names that could reach beyond the storage are refused', async () => {
  const storage = new MemoryStorage();
  for (const bad of ['../x', '', 'a/b', '.', '-x', 'a\nb', 'x'.repeat(200)])
    await assert.rejects(storage.openAttempt(bad), { code: 'STORAGE_BAD_NAME' });
  await assert.rejects(storage.remove('../x'), { code: 'STORAGE_BAD_NAME' });
});
