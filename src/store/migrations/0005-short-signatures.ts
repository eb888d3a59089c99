// Indexes hold the beginning of a signature instead of all its 64 characters: they are half as large, so that more of them stays in memory
// and a new row touches fewer pages. The first eighty bits tell signatures apart; whoever looks compares the rest in the row.
import { shortSignature } from '../short-signature.ts';
import type { Migration } from './migration.ts';

export const shortSignatures: Migration = {
  number: 5,
  name: 'short-signatures',
  breaking: false,
  statements: () => [
    'drop index dataset_signature',
    `create unique index dataset_signature on dataset (${shortSignature('signature')}, realm) where is_current = 1`,
    'drop index dataset_generation',
    `create index dataset_generation on dataset (${shortSignature('signature')}, realm) where is_current = 0`,
    'drop index dataset_physical',
    `create index dataset_physical on dataset (${shortSignature('physical')}) where physical is not null`,
    // Lists by state are answered by the index of present datasets.
    'drop index dataset_state',
  ],
};
