// Follows the page of every example, whatever examples there are, on one kind of store.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { pageSteps } from '../../scripts/documents/page-blocks.ts';
import { follow, root } from './reader.ts';

/** What the environment has to say for a store of its own, or why there is none. */
export type StoreForPage = (t: TestContext) => Promise<{ env: Record<string, string> } | { skip: string }>;

export function testExamples(kind: string, storeFor: StoreForPage): void {
  const pages = globSync('examples/[0-9]*/README.md', { cwd: root }).sort();
  assert.ok(pages.length > 0);
  for (const page of pages) {
    test(`${page} says what happens, on ${kind}`, async (t) => {
      const { steps } = pageSteps(readFileSync(join(root, page), 'utf8'));
      assert.ok(
        steps.some((step) => step.kind === 'command' && step.expected),
        'a page shows commands and their output',
      );
      const store = await storeFor(t);
      if ('skip' in store) return t.skip(store.skip);
      follow(page, { has: [dirname(page)], env: store.env });
    });
  }
}
