// What can go wrong with the store.
import { defineErrors } from '../core/errors.ts';

export const storeErrors = defineErrors({
  STORE_UNAVAILABLE: {
    kind: 'unavailable',
    summary:
      'The database did not answer for longer than the store waits. Check that it runs and can be reached.',
    message: (where: string, what: string) => `the store ${where} does not answer: ${what}`,
  },
  STORE_CANNOT_OPEN: {
    kind: 'unavailable',
    summary: 'The database file or server cannot be opened. Check the path, the permissions and the URL.',
    message: (where: string, what: string) => `cannot open the store ${where}: ${what}`,
  },
  STORE_CORRUPT: {
    kind: 'corrupt',
    summary: 'The database file is damaged. Restore a backup, or salvage with the sqlite3 program.',
    message: (where: string, what: string) => `the store ${where} is damaged: ${what}`,
    hint: 'nothing was written; restore a backup made by `varve store backup`, or move the file away to start afresh',
  },
  STORE_FULL: {
    kind: 'exhausted',
    summary: 'The disk that holds the database is full. Free some space; nothing was lost.',
    message: (where: string) => `no space left for the store ${where}`,
  },
  STORE_READ_ONLY: {
    kind: 'unavailable',
    summary: 'The database file or its folder is read-only.',
    message: (where: string) => `the store ${where} is read-only`,
  },
  STORE_NEWER: {
    kind: 'unsupported',
    summary: 'The database was written by a newer version of Varve. Upgrade this program.',
    message: (where: string, found: number, known: number) =>
      `the store ${where} has schema ${found}, this program knows up to ${known}`,
    hint: 'upgrade varve, or point VARVE_STORE_URL at another store',
  },
  STORE_OLDER: {
    kind: 'unsupported',
    summary: 'A store that was last used by an older version of Varve is copied only into a new database.',
    message: (from: string, to: string) => `the store ${from} has an older schema than ${to}`,
    hint: 'name a database in which there is nothing yet, or run any command of this version on the older store first',
  },
  STORE_BAD_URL: {
    kind: 'invalid',
    summary: 'The store URL is neither a file path, sqlite:path nor postgres://….',
    message: (url: string) => `"${url}" is no store URL`,
    hint: 'use a file path, sqlite:<path> or postgres://user@host/database',
  },
  STORE_NOT_EMPTY: {
    kind: 'conflict',
    summary: 'A store is moved or restored only into an empty one.',
    message: (where: string) => `the store ${where} is not empty`,
    hint: 'name an empty database',
  },
  STORE_CONFLICT: {
    kind: 'conflict',
    summary: 'A row with this key exists already.',
    message: (what: string) => `already there: ${what}`,
  },
  STORE_QUERY_FAILED: {
    kind: 'bug',
    summary: 'The database refused a statement of Varve itself.',
    message: (what: string) => `the database refused a statement: ${what}`,
  },
  STORE_UNKNOWN_TABLE: {
    kind: 'unsupported',
    summary: 'The store has a table that this program does not know, so it cannot be copied whole.',
    message: (table: string) => `the store has the unknown table ${table}`,
    hint: 'copy it with the version of varve that made it',
  },
  STORE_COPY_DIFFERS: {
    kind: 'corrupt',
    summary: 'What arrived in the target differs from what was read; nothing was kept there.',
    message: (table: string) => `the copy of table ${table} differs from its source`,
  },
  STORE_TARGET_EXISTS: {
    kind: 'conflict',
    summary: 'A backup is written to a new file only.',
    message: (path: string) => `${path} exists already`,
    hint: 'name a new file',
  },
});
