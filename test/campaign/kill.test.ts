// A short campaign on each database; the long one is `npm run campaign`.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { testDatabase } from '../postgres.ts';
import { runCampaign } from './campaign.ts';

function folder(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), 'varve-campaign-'));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

const options = { kills: 20, workers: 2, random: Math.random };

test('twenty deaths on SQLite lose nothing and leave nothing behind', async (t) => {
  const path = folder(t);
  const report = await runCampaign({
    ...options,
    folder: path,
    storeUrl: `sqlite:${join(path, 'varve.db')}`,
  });
  assert.equal(report.kills, 20);
});

test('twenty deaths on PostgreSQL lose nothing and leave nothing behind', async (t) => {
  const database = await testDatabase(t);
  if ('skip' in database) return t.skip(database.skip);
  const report = await runCampaign({ ...options, folder: folder(t), storeUrl: database.url });
  assert.equal(report.kills, 20);
});
