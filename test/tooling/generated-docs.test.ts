import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { test } from 'node:test';
import { example } from '../../scripts/reference/configuration-page.ts';
import { allErrorDeclarations } from '../../scripts/reference/errors-page.ts';
import { renderPages } from '../../scripts/reference/pages.ts';
import { parseConfigFile } from '../../src/config/config-file.ts';

test('the generated files are what the code says; npm run docs:generate writes them', async () => {
  for (const { path, text } of await renderPages()) {
    assert.equal(readFileSync(path, 'utf8'), text, `${basename(path)} is out of date`);
  }
});

test('error codes are unique, shouted, and explained in sentences', async () => {
  const seen = new Map<string, string>();
  for (const [area, declarations] of await allErrorDeclarations()) {
    for (const [code, { summary }] of Object.entries(declarations)) {
      assert.match(code, /^[A-Z][A-Z0-9_]+$/, `${area}: ${code}`);
      assert.match(summary, /^[A-Z`].*\.$/s, `${area}: ${code}`);
      assert.equal(seen.get(code), undefined, `${code} is declared in ${seen.get(code)} and ${area}`);
      seen.set(code, area);
    }
  }
});

test('the example in the configuration reference is valid', async () => {
  const { settings, problems } = await parseConfigFile('example.yaml', example().join('\n'));
  assert.deepEqual(problems, []);
  assert.equal(settings.length, 5);
});
