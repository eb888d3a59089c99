// What a migration is: numbered, never edited once released, applied in order under a lock.
import type { Dialect } from '../database.ts';

export interface Migration {
  readonly number: number;
  readonly name: string;
  /** False when processes of the version before that have the store open may go on. None of them can open it again. */
  readonly breaking: boolean;
  statements(dialect: Dialect): readonly string[];
}
