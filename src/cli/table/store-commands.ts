// Rows of the commands about the store.
import type { CommandRows } from '../command.ts';

export const storeCommands = {
  'store backup': {
    summary: 'copy the store into one file, while everything goes on',
    description:
      'Copies one consistent state of the database, SQLite or PostgreSQL, into a new SQLite file and compares what arrived. The files of datasets are not part of it.',
    arguments: [{ name: 'file', summary: 'the file to write; it must not exist', isPath: true }],
    examples: [{ line: 'varve store backup varve-2026-11-18.db', what: 'nightly, for instance' }],
  },
  'store restore': {
    summary: 'copy a backup into the configured store, which must be empty',
    arguments: [{ name: 'file', summary: 'a file written by store backup', isPath: true }],
    examples: [
      { line: 'varve store restore varve-2026-11-18.db', what: 'after moving a damaged store away' },
    ],
  },
  'store check': {
    summary: 'look for damage and broken rules in the store',
    examples: [{ line: 'varve store check', what: 'ends with exit code 9 when something is damaged' }],
  },
  'store migrate': {
    summary: 'move the store to another database without losing anything',
    description:
      'Copies everything into an empty database and compares it row by row. The old store stays as it is; point store.url at the new one afterwards. No other process may work on the store meanwhile.',
    options: {
      to: { type: 'text', placeholder: 'URL', summary: 'the new store, such as postgres://varve@db/varve' },
    },
    examples: [
      {
        line: 'varve store migrate --to postgres://varve@localhost/varve',
        what: 'from a laptop to a server',
      },
    ],
  },
} as const satisfies CommandRows;
