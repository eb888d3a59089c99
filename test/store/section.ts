// Registers tests that hold on every kind of store. Each test gets a store of its own and the facts it needs.
import { type TestContext, test } from 'node:test';
import type { OpenedStore, StoreKind } from './kinds.ts';

export type ContractBody = (opened: OpenedStore, t: TestContext) => Promise<void>;

/** Tests by the sentence that names them. */
export type Section = Readonly<Record<string, ContractBody>>;

export function holds(kind: StoreKind, section: Section): void {
  for (const [sentence, body] of Object.entries(section)) {
    test(`${kind.name}: ${sentence}`, async (t) => {
      const opened = await kind.open(t);
      if ('skip' in opened) return t.skip(opened.skip);
      await body(opened, t);
    });
  }
}
