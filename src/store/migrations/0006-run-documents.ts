// What was submitted lies in a table of its own. It may be as large as a book, and a look at what follows it in a row would turn all its
// pages: for a run of 100,000 actions each look took milliseconds.
import type { Migration } from './migration.ts';

export const runDocuments: Migration = {
  number: 6,
  name: 'run-documents',
  breaking: true,
  statements: ({ types: { key, text } }) => [
    `create table run_document (
      run_id ${key},
      source ${text},
      parameters ${text}
    )`,
    `insert into run_document (run_id, source, parameters)
      select id, source, parameters from run where source is not null or parameters is not null`,
    'alter table run drop column source',
    'alter table run drop column parameters',
  ],
};
