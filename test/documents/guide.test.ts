// Every command in the README and in the pages below docs/ is executed, page by page; what cannot be says why.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { pageSteps } from '../../scripts/documents/page-blocks.ts';
import { testDatabase } from '../postgres.ts';
import { follow, root } from './reader.ts';

// Those of docs/reference are generated, and compared with what they were made of; docs/adr speaks of the past.
const pages = globSync(['docs/*.md', 'docs/{guide,concepts,operations,coming-from}/*.md'], {
  cwd: root,
}).sort();
const onPostgres = 'docs/guide/postgresql.md';

test('the README says what happens', () => {
  follow('README.md', { has: ['examples'] });
});

for (const page of pages) {
  const { steps, notRun } = pageSteps(readFileSync(join(root, page), 'utf8'));
  if (steps.length + notRun.length === 0) continue;
  test(`${page} says what happens`, async (t) => {
    for (const { line, reason } of notRun)
      assert.match(reason, /\w+ \w+ \w+/, `${page}:${line} says why it is not run`);
    if (page !== onPostgres) return follow(page);
    const database = await testDatabase(t);
    if ('skip' in database) return t.skip(database.skip);
    follow(page, { env: { VARVE_STORE_URL: database.url } });
  });
}
