// Every command in the README, the guide and the pages for those who come from elsewhere is executed, page by page.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { pageSteps } from '../../scripts/documents/page-blocks.ts';
import { testDatabase } from '../postgres.ts';
import { follow, root } from './reader.ts';

const pages = globSync('docs/{guide,concepts,operations,coming-from}/*.md', { cwd: root }).sort();
const onPostgres = 'docs/guide/postgresql.md';

test('the README says what happens', () => {
  follow('README.md', { has: ['examples'] });
});

for (const page of pages) {
  const { steps, notRun } = pageSteps(readFileSync(join(root, page), 'utf8'));
  if (steps.length === 0) continue;
  test(`${page} says what happens`, async (t) => {
    for (const { line, reason } of notRun)
      assert.match(reason, /\w+ \w+ \w+/, `${page}:${line} says why it is not run`);
    if (page !== onPostgres) return follow(page);
    const database = await testDatabase(t);
    if ('skip' in database) return t.skip(database.skip);
    follow(page, { env: { VARVE_STORE_URL: database.url } });
  });
}
