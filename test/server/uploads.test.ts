// Uploads that nobody used go; those that a submission used stay.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { cleanUploads } from '../../src/server/inputs/clean-uploads.ts';
import { submittedFiles } from '../../src/server/inputs/submitted-files.ts';

async function* bytes(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

test('an upload without a submission is removed once it is old, one with a submission never', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'varve-uploads-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const files = submittedFiles(folder, 1e6);
  const used = await files.store('ann', bytes('used'));
  const unused = await files.store('ann', bytes('unused'));
  const world = await files.layOut('ann', { '/f': { upload: used.upload } });
  assert.equal(await cleanUploads(folder, Date.now() - 60_000), 0, 'what is young stays');
  assert.equal(await cleanUploads(folder, Date.now() + 60_000), 1);
  assert.equal(readFileSync(join(world, 'f'), 'utf8'), 'used');
  await files.layOut('ann', { '/g': { upload: used.upload } });
  await assert.rejects(files.layOut('ann', { '/u': { upload: unused.upload } }), {
    code: 'UPLOAD_NOT_FOUND',
  });
});
