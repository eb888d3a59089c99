import assert from 'node:assert/strict';
import fs from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { faultyFileSystem } from '../../src/storage/local/faulty-file-system.ts';
import { openLocalStorage } from '../../src/storage/local/local-storage.ts';
import { temporaryFolder } from './temporary-folder.ts';

test('where `sync -f` is missing, every file and directory is synchronised once, and failures are told until it works', async (t) => {
  const path = process.env.PATH;
  t.after(() => {
    process.env.PATH = path;
  });
  const folder = temporaryFolder(t);
  process.env.PATH = '/nonexistent';
  let synchronised = 0;
  let broken = true;
  const counting = faultyFileSystem((call) => {
    if (call.name !== 'fsync') return undefined;
    if (broken) return 'EIO';
    synchronised += 1;
    return undefined;
  });
  const storage = openLocalStorage({ root: join(folder, 'storage'), durability: 'normal', fs: counting });
  const { out } = await storage.openAttempt('a');
  fs.mkdirSync(`${out}/sub`);
  fs.writeFileSync(`${out}/sub/f`, 'x');
  fs.symlinkSync('sub/f', `${out}/link`);
  await storage.publish('a');
  await assert.rejects(storage.flush(), { code: 'STORAGE_IO' });
  await assert.rejects(storage.flush(), { code: 'STORAGE_IO' });
  broken = false;
  await storage.flush();
  // The file, `sub`, the dataset and the folder that it is in.
  assert.equal(synchronised, 4);
  await storage.flush();
  assert.equal(synchronised, 4);
});

test('large outputs are brought to the disk before anybody asks', async (t) => {
  const folder = temporaryFolder(t);
  const synchronised: string[] = [];
  const watching = faultyFileSystem((call) => {
    if (call.name === 'fsync') synchronised.push(call.name);
    return undefined;
  });
  const storage = openLocalStorage({ root: join(folder, 'storage'), durability: 'normal', fs: watching });
  const publish = async (key: string, sizeBytes: number): Promise<void> => {
    const { out } = await storage.openAttempt(key);
    fs.writeFileSync(`${out}/f`, '');
    fs.truncateSync(`${out}/f`, sizeBytes);
    await storage.publish(key);
  };
  await publish('small', 1);
  assert.deepEqual(synchronised, []);
  await publish('large', 128 * 2 ** 20);
  await storage.close();
  // A file, its dataset and the folder that it is in, twice.
  assert.equal(synchronised.length, 6);
});
