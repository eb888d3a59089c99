// All migrations in order.
import { initial } from './0001-initial.ts';
import { decisions } from './0002-decisions.ts';
import { server } from './0003-server.ts';
import { workers } from './0004-workers.ts';
import { shortSignatures } from './0005-short-signatures.ts';
import { runDocuments } from './0006-run-documents.ts';
import type { Migration } from './migration.ts';

export const migrations: readonly Migration[] = [
  initial,
  decisions,
  server,
  workers,
  shortSignatures,
  runDocuments,
];
