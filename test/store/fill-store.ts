// Fills a store as years of use would: most actions ended, most edges released, a few of everything that is to be done now. Rows are
// written as such, without going through their lives, and indexed when all are there.
import { hash } from 'node:crypto';
import type { ColumnTypes, Database, Value } from '../../src/store/database.ts';
import { actionTable, datasetTable, edgeTable, journalTable, runTable } from '../../src/store/tables.ts';
import { actionRow, datasetRow, edgeRow, epoch, runRow, signatureOf, storedRow } from './rows.ts';

export interface StoreSize {
  readonly datasets: number;
  readonly actions: number;
}

const actionsPerRun = 5;
const part = 20_000;
const withPrior = (columns: ColumnTypes): ColumnTypes => ({ ...columns, prior: 'text' });

export async function fillStore(
  database: Database,
  size: StoreSize,
  onRows = (_rows: number): void => {},
): Promise<void> {
  const indexes = await indexesOf(database);
  for (const { name } of indexes) await database.reader.all(`drop index ${name}`);
  await insertRows(database, size, onRows);
  for (const { sql } of indexes) await database.reader.all(sql);
  await database.reader.all('analyze');
}

/** Indexes that were created as such; those of keys belong to their table. */
function indexesOf(database: Database): Promise<{ name: string; sql: string }[]> {
  return database.reader.all(
    database.dialect.name === 'sqlite'
      ? "select name, sql from sqlite_master where type = 'index' and sql is not null"
      : `select indexname as name, indexdef as sql from pg_indexes
          where schemaname = current_schema() and indexname not like '%_pkey'`,
  );
}

async function insertRows(
  database: Database,
  size: StoreSize,
  onRows: (rows: number) => void,
): Promise<void> {
  const fill = async (
    table: string,
    columns: ColumnTypes,
    count: number,
    make: (id: number) => readonly Value[],
  ): Promise<void> => {
    for (let start = 1; start <= count; start += part) {
      const rows: (readonly Value[])[] = [];
      for (let id = start; id < start + part && id <= count; id++) rows.push(make(id));
      await database.transaction((session) => session.insert(table, columns, rows), { durable: false });
      onRows(rows.length);
    }
  };
  const runs = Math.ceil(size.actions / actionsPerRun);
  await fill('run', withPrior(runTable.insertable), runs, (id) => [
    ...runTable.values(
      runRow(id, {
        state: id % 97 === 0 ? 'RUNNING' : id % 31 === 0 ? 'FAILED' : 'SUCCEEDED',
        userName: `user-${id % 20}`,
      }),
    ),
    id % 97 === 0 ? '' : 'RUNNING',
  ]);
  await fill('dataset', withPrior(datasetTable.insertable), size.datasets, (id) => {
    const common = {
      name: `name-${id % 200}`,
      physical: signatureOf(id),
      producerId: id,
      node: '{"command":["sort"]}',
    };
    if (id % 10 < 6)
      return [
        ...datasetTable.values(datasetRow(id, { ...common, state: 'DELETED', sizeBytes: 100 })),
        'DELETING',
      ];
    const state = id % 1000 === 7 ? 'STORED_TO_DELETE' : id % 10 === 9 ? 'LEAF' : 'STORED';
    return [
      ...datasetTable.values(storedRow(id, { ...common, state })),
      state === 'STORED' ? 'TO_STORE' : 'STORED',
    ];
  });
  await fill('action', withPrior(actionTable.insertable), size.actions, (id) => {
    const runId = Math.ceil(id / actionsPerRun);
    const base = { runId, endedAt: epoch + id, node: `{"key":"step-${id}","command":["sort","-n"]}` };
    if (id % 50 === 3)
      return [...actionTable.values(actionRow(id, { ...base, state: 'READY', endedAt: null })), 'WAITING'];
    if (id % 500 === 4) {
      const owned = {
        ...actionRow(id, { ...base, state: 'RUNNING', endedAt: null }),
        owner: `owner-${id % 9}`,
        leaseUntil: epoch + id,
        fence: 1,
      };
      return [...actionTable.values(owned), 'SUBMITTED'];
    }
    return [
      ...actionTable.values(actionRow(id, { ...base, state: id % 3 ? 'FINISHED' : 'REUSED' })),
      id % 3 ? 'RUNNING' : 'READY',
    ];
  });
  await fill('edge', edgeTable.insertable, size.actions, (id) =>
    edgeTable.values(
      edgeRow(id, Math.max(1, id - 1), {
        state: id % 10 < 4 ? 'HELD' : id % 10 === 4 ? 'WAITING' : 'RELEASED',
        producerId: id - 1,
      }),
    ),
  );
  await fill(
    'lineage',
    { dataset_id: 'int', slot: 'text', position: 'text', parent_id: 'int' },
    size.datasets,
    (id) => [id, 'in', '', Math.max(1, id - 1)],
  );
  await fill(
    'growth',
    { signature: 'text', realm: 'text', members: 'text', made_at: 'int' },
    size.actions / 2,
    (id) => [signatureOf(id), 'here', '[1]', epoch],
  );
  await fill(
    'file_digest',
    { key: 'text', sha256: 'text', size_bytes: 'int', seen_at: 'int' },
    size.actions / 2,
    (id) => [hash('sha256', `${id}`), signatureOf(id), 1, epoch],
  );
  await fill('journal', journalTable.insertable, size.actions, (id) => [
    epoch + id,
    id % 2 ? 'dataset' : 'action',
    id,
    Math.ceil(id / actionsPerRun),
    'finish',
    'RUNNING',
    'FINISHED',
    'a',
    null,
  ]);
  await fill(
    'attempt',
    {
      id: 'int',
      action_id: 'int',
      number: 'int',
      key: 'text',
      backend: 'text',
      worker: 'text',
      submitted_at: 'int',
      state: 'text',
    },
    size.actions,
    (id) => [id, id, 1, `${id}-1-k`, 'local', 'w', epoch, 'SUBMITTED'],
  );
  for (const name of ['run', 'action', 'dataset', 'attempt'])
    await database.reader.all('update counter set value = $2 where name = $1', [
      name,
      Math.max(size.actions, size.datasets) + 1,
    ]);
}
