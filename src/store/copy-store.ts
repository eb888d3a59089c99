// Copies a whole store into an empty one, from any database to any other: this is how an embedded store moves to a server, how backups
// are made and how they are restored. One snapshot is read, one transaction is written, and what arrived is compared with what left
// before it counts.
import { createHash } from 'node:crypto';
import type { ColumnType, Database, Param, Session, Value } from './database.ts';
import { storeErrors } from './error-codes.ts';
import { migrate, readLevel } from './migrate.ts';
import { openDatabase } from './open-database.ts';

export interface CopyProgress {
  readonly table: string;
  readonly rows: number;
}

export interface CopiedTable extends CopyProgress {
  /** SHA-256 over all rows in the order of their key. */
  readonly digest: string;
}

/** Every table with the columns of its key, in the order of copying. */
const keys: Readonly<Record<string, readonly string[]>> = {
  setting: ['key'],
  run: ['id'],
  run_document: ['run_id'],
  action: ['id'],
  attempt: ['id'],
  dataset: ['id'],
  edge: ['holder', 'holder_id', 'slot', 'position'],
  lineage: ['dataset_id', 'slot', 'position'],
  growth: ['signature', 'realm'],
  journal: ['id'],
  worker: ['id'],
  schedule: ['id'],
  event: ['id'],
  file_digest: ['key'],
  cost: ['name'],
  history_event: ['seq'],
  keep_rule: ['id'],
  run_note: ['run_id', 'kind'],
  action_statistic: ['hour', 'name', 'user_name'],
  lease: ['name'],
  account: ['name'],
  account_project: ['account', 'project'],
  token: ['id'],
  login: ['sha256'],
  space_sample: ['at'],
  remote_job: ['key'],
  counter: ['name'],
};
/** Kept by the store itself from what it writes; rebuilt in the target instead of copied. */
const derived = ['dataset_total', 'commit_mark'];
const mostRows = 2000;
/** Documents may be as large as books. */
const mostDocuments = 20;

/** Copies everything; the target must be empty, and is unchanged when anything goes wrong. */
export async function copyStore(
  fromUrl: string,
  toUrl: string,
  onProgress: (progress: CopyProgress) => void = () => {},
): Promise<CopiedTable[]> {
  const from = await openDatabase(fromUrl, { readOnly: true });
  try {
    const to = await openDatabase(toUrl);
    try {
      // A store of an earlier version is copied as it is, and then brought up to date like any other.
      const level = await readLevel(from.reader, from.where);
      if (level === 0) throw storeErrors.STORE_CANNOT_OPEN(from.where, 'there is no store in it');
      await migrate(to, to.where, Date.now(), level);
      if ((await readLevel(to.reader, to.where)) > level) throw storeErrors.STORE_OLDER(from.where, to.where);
      const tables = await tablesOf(from.reader);
      const copied = await from.snapshot((source) =>
        to.transaction((target) => copyTables(source, target, to, tables, onProgress), { durable: true }),
      );
      await migrate(to, to.where, Date.now());
      return copied;
    } finally {
      await to.close();
    }
  } finally {
    await from.close();
  }
}

type Tables = ReadonlyMap<string, Readonly<Record<string, ColumnType>>>;

async function copyTables(
  source: Session,
  target: Session,
  to: Database,
  tables: Tables,
  onProgress: (progress: CopyProgress) => void,
): Promise<CopiedTable[]> {
  for (const table of ['run', 'dataset', 'journal']) {
    if ((await target.all(`select 1 from ${table} limit 1`)).length > 0)
      throw storeErrors.STORE_NOT_EMPTY(to.where);
  }
  // What migrations put there comes with the copy.
  for (const table of ['counter', 'lease']) await target.all(`delete from ${table}`);
  const copied: CopiedTable[] = [];
  for (const [table, columns] of tables) {
    let rows = 0;
    const left = createHash('sha256');
    for await (const page of pages(source, table, columns)) {
      await target.insert(table, columns, page);
      for (const row of page) left.update(JSON.stringify(row));
      rows += page.length;
      onProgress({ table, rows });
    }
    const digest = left.digest('hex');
    const arrived = createHash('sha256');
    for await (const page of pages(target, table, columns))
      for (const row of page) arrived.update(JSON.stringify(row));
    if (arrived.digest('hex') !== digest) throw storeErrors.STORE_COPY_DIFFERS(table);
    copied.push({ table, rows, digest });
  }
  await rebuild(target);
  return copied;
}

/** Totals and counted keys follow from what was copied. */
async function rebuild(target: Session): Promise<void> {
  await target.all('delete from dataset_total');
  await target.all(
    `insert into dataset_total (state, count, bytes)
      select state, count(*), cast(coalesce(sum(case when state in ('STORED', 'LEAF', 'STORED_TO_DELETE', 'PROCESSING', 'DELETING')
        then size_bytes else 0 end), 0) as bigint) from dataset group by state`,
  );
  if (target.dialect.name === 'postgres') {
    await target.all(
      "select setval(pg_get_serial_sequence('journal', 'id'), (select coalesce(max(id), 0) + 1 from journal), false)",
    );
  }
}

/** The tables that the source has, with the columns that both can hold. A table that nobody here knows is refused. */
async function tablesOf(reader: Session): Promise<Tables> {
  const sql =
    reader.dialect.name === 'sqlite'
      ? `select m.name as "table", p.name as "column", lower(p.type) as type from sqlite_master m, pragma_table_info(m.name) p
          where m.type = 'table' and m.name not like 'sqlite_%' order by m.name, p.cid`
      : `select table_name as "table", column_name as "column", data_type as type from information_schema.columns
          where table_schema = current_schema() order by table_name, ordinal_position`;
  const found = new Map<string, Record<string, ColumnType>>();
  for (const { table, column, type } of await reader.all<{ table: string; column: string; type: string }>(
    sql,
  )) {
    if (table === 'schema_migration' || derived.includes(table)) continue;
    if (!keys[table]) throw storeErrors.STORE_UNKNOWN_TABLE(table);
    const columns = found.get(table) ?? {};
    columns[column] = /int/.test(type) ? 'int' : /real|double/.test(type) ? 'real' : 'text';
    found.set(table, columns);
  }
  return new Map(
    Object.keys(keys).flatMap((table) => (found.has(table) ? [[table, found.get(table) ?? {}]] : [])),
  );
}

async function* pages(
  session: Session,
  table: string,
  columns: Readonly<Record<string, ColumnType>>,
): AsyncGenerator<Value[][]> {
  const names = Object.keys(columns);
  const key = keys[table] as readonly string[];
  const pageSize = table === 'run_document' ? mostDocuments : mostRows;
  let last: Value[] | undefined;
  for (;;) {
    const params: Param[] = last ?? [];
    const after = last ? `where (${key.join(', ')}) > (${key.map((_, i) => `$${i + 1}`).join(', ')})` : '';
    const rows = await session.all<Record<string, Value>>(
      `select ${names.join(', ')} from ${table} ${after} order by ${key.join(', ')} limit ${pageSize}`,
      params,
    );
    if (rows.length === 0) return;
    yield rows.map((row) => names.map((name) => row[name] ?? null));
    const end = rows.at(-1) as Record<string, Value>;
    last = key.map((name) => end[name] ?? null);
    if (rows.length < pageSize) return;
  }
}
