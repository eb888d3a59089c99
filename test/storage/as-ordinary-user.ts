// Run by real-faults.test.ts as a user other than root, for whom permissions count; prints one line when all held.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { openLocalStorage } from '../../src/storage/local/local-storage.ts';

const [folder = ''] = process.argv.slice(2);

assert.throws(() => openLocalStorage({ root: `${folder}/closed` }), { code: 'STORAGE_DENIED' });
assert.throws(() => openLocalStorage({ root: `${folder}/closed/sub` }), { code: 'STORAGE_DENIED' });

const storage = openLocalStorage({ root: `${folder}/home/storage`, durability: 'normal' });
const { out, work, directory } = await storage.openAttempt('a');
fs.mkdirSync(`${out}/closed/deep`, { recursive: true });
fs.writeFileSync(`${out}/closed/deep/f`, 'x');
fs.writeFileSync(`${folder}/home/elsewhere`, 'linked');
fs.linkSync(`${folder}/home/elsewhere`, `${out}/closed/linked`);
fs.chmodSync(`${out}/closed/deep/f`, 0o000);
fs.chmodSync(`${out}/closed/deep`, 0o000);
fs.chmodSync(`${out}/closed`, 0o500);
fs.chmodSync(out, 0o500);
const published = await storage.publish('a');
const path = storage.path(published.location);
assert.equal(published.fileCount, 2);
assert.deepEqual(await storage.publish('a'), published);
assert.equal(await storage.inspect(published.location, published, 'contents'), 'intact');

const denied = { code: 'EACCES' };
assert.throws(() => fs.writeFileSync(`${path}/closed/deep/f`, 'y'), denied);
assert.throws(() => fs.writeFileSync(`${path}/new`, 'y'), denied);
assert.throws(() => fs.unlinkSync(`${path}/closed/deep/f`), denied);

fs.mkdirSync(`${work}/a/b`, { recursive: true });
fs.writeFileSync(`${work}/a/b/f`, 'x');
fs.chmodSync(`${work}/a/b`, 0o500);
fs.chmodSync(`${work}/a`, 0o000);
await storage.discardAttempt('a');
assert.deepEqual(fs.readdirSync(directory), ['logs']);

await storage.remove(published.location);
assert.deepEqual(await storage.inspectMany([published.location]), ['missing']);
for (const part of fs.readdirSync(`${folder}/home/storage/trash`))
  assert.deepEqual(fs.readdirSync(`${folder}/home/storage/trash/${part}`), []);
await storage.close();
console.log('all held');
