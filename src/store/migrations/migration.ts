// What a migration is: numbered, never edited once released, applied in order under a lock.
import type { Dialect } from '../database.ts';

export interface Migration {
  readonly number: number;
  readonly name: string;
  /** True when a program that knows only older schemas must not touch the store any more. */
  readonly breaking: boolean;
  statements(dialect: Dialect): readonly string[];
}
