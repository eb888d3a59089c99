import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { VarveError } from '../../src/core/errors.ts';
import { loadAlgorithm, resolveAlgorithm } from '../../src/decisions/load-plugin.ts';
import { shippedAlgorithms } from '../../src/decisions/shipped.ts';

const folder = mkdtempSync(join(tmpdir(), 'varve-plugin-'));
after(() => rmSync(folder, { recursive: true }));
const source = (name: string) =>
  `export default { name: '${name}', reason: 'is first', decide: () => ({ giveUp: [] }) };\n`;

function addPackage(name: string, description: object): void {
  const at = join(folder, 'node_modules', name);
  mkdirSync(at, { recursive: true });
  writeFileSync(
    join(at, 'package.json'),
    JSON.stringify({ name, version: '1.0.0', type: 'module', ...description }),
  );
  writeFileSync(join(at, 'policy.js'), source(name));
}

test('every shipped algorithm is found by name, and its module exports it by default', async () => {
  for (const [name, algorithm] of Object.entries(shippedAlgorithms)) {
    assert.equal(await loadAlgorithm(resolveAlgorithm(name, folder)), algorithm);
  }
});

test('a file is found by its path relative to the folder', async () => {
  writeFileSync(join(folder, 'mine.mjs'), source('mine'));
  assert.equal((await loadAlgorithm(resolveAlgorithm('./mine.mjs', folder))).name, 'mine');
  assert.equal((await loadAlgorithm(resolveAlgorithm('mine.mjs', folder))).name, 'mine');
});

test('a package is found by its name, by main or by exports that only an import satisfies', async () => {
  addPackage('policy-main', { main: './policy.js' });
  addPackage('policy-import', { exports: { '.': { import: { default: './policy.js' } } } });
  addPackage('@site/policy', { exports: './policy.js' });
  for (const name of ['policy-main', 'policy-import', '@site/policy']) {
    assert.equal((await loadAlgorithm(resolveAlgorithm(name, folder))).name, name);
  }
});

test('what cannot be found or is no algorithm gives one clear error', async () => {
  const missing = (error: unknown) => error instanceof VarveError && error.code === 'DECISION_PLUGIN_MISSING';
  assert.throws(() => resolveAlgorithm('./none.mjs', folder), missing);
  assert.throws(() => resolveAlgorithm('policy-none', folder), missing);
  writeFileSync(join(folder, 'broken.mjs'), 'export default {');
  writeFileSync(join(folder, 'empty.mjs'), 'export const x = 1;');
  for (const file of ['./broken.mjs', './empty.mjs']) {
    await assert.rejects(loadAlgorithm(resolveAlgorithm(file, folder)), { code: 'DECISION_PLUGIN_SHAPE' });
  }
});
