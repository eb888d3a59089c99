import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { sortEntries, treeDigest } from '../../src/core/tree-digest.ts';
import { sortTree, summarizeTree } from '../../src/storage/local/summarize-tree.ts';

test('sorting and digesting in slices gives what doing it at once gives', async () => {
  const path = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 });
  const paths = fc.uniqueArray(path, { minLength: 3000, maxLength: 4000, size: 'max' });
  await fc.assert(
    fc.asyncProperty(paths, async (names) => {
      const entries = names.map((name) => ({ kind: 'directory', path: name }) as const);
      const sorted = await sortTree(entries);
      assert.deepEqual(sorted, sortEntries(entries));
      assert.equal((await summarizeTree(sorted)).digest, treeDigest(entries));
    }),
    { numRuns: 3 },
  );
});
