// Statements on one SQLite connection. A statement is prepared once; a statement for many rows runs once per row, or once per handful
// of rows to insert, because a call costs a microsecond and a list of rows sent as JSON costs several.
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type {
  ColumnTypes,
  Dialect,
  Outcome,
  Param,
  RowStatement,
  TransactionSession,
  Value,
} from './database.ts';
import { type RowMaker, rowMaker } from './row-maker.ts';
import { isFatal, sqliteError } from './sqlite-errors.ts';

/** How many rows one call inserts, where there are so many. */
const rowsPerInsert = [20, 4];
/** From so many rows on a statement of their own pays. */
const manyRows = 1000;

export const sqliteDialect: Dialect = {
  name: 'sqlite',
  types: {
    key: 'integer primary key',
    ownKey: 'integer primary key',
    int: 'integer',
    real: 'real',
    text: 'text',
  },
  clustered: ' without rowid',
  thenId: '',
  lock: '',
  lockOrSkip: '',
  lockNumber: '',
  among: (column, param) => `${column} in (select value from json_each(${param}))`,
  eachOf: (columns, table, expression, _type, condition) =>
    `select ${columns} from ${table} where ${expression} in (select value from json_each($1)) and ${condition}`,
  contains: (column, param) => `instr(lower(${column}), lower(${param})) > 0`,
};

interface Prepared {
  readonly statement: StatementSync;
  /** Made at the first row. */
  make: RowMaker | undefined;
}

/** `where` names the database in errors. */
export function sqliteSession(connection: DatabaseSync, where: string): TransactionSession {
  const statements = new Map<string, Prepared>();
  const rowStatements = new WeakMap<RowStatement, Prepared>();

  function prepare(sql: string): Prepared {
    let prepared = statements.get(sql);
    if (!prepared) {
      const statement = connection.prepare(sqliteText(sql));
      statement.setReturnArrays(true);
      prepared = { statement, make: undefined };
      statements.set(sql, prepared);
    }
    return prepared;
  }

  function prepareRow(rowStatement: RowStatement): Prepared {
    let prepared = rowStatements.get(rowStatement);
    if (!prepared) {
      prepared = prepare(rowSql(rowStatement));
      rowStatements.set(rowStatement, prepared);
    }
    return prepared;
  }

  function makerOf(prepared: Prepared): RowMaker {
    prepared.make ??= rowMaker(prepared.statement.columns().map((column) => column.name));
    return prepared.make;
  }

  function allRows<T>(prepared: Prepared, params: readonly Value[]): T[] {
    const rows = prepared.statement.all(...params) as unknown[];
    if (rows.length === 0) return rows as T[];
    const make = makerOf(prepared);
    for (let i = 0; i < rows.length; i++) rows[i] = make(rows[i] as unknown[]);
    return rows as T[];
  }

  function runEach({ statement }: Prepared, rows: readonly (readonly Value[])[]): void {
    for (const row of rows) statement.run(...row);
  }

  /** Very many rows: what is the same in all of them is written into a statement that is made for them alone. */
  function insertMany(
    table: string,
    columns: readonly string[],
    rows: readonly (readonly Value[])[],
    ignoreExisting: boolean,
  ): void {
    const count = rowsPerInsert[0] as number;
    const first = rows[0] as readonly Value[];
    const bound: number[] = [];
    const fixed: number[] = [];
    for (let i = 0; i < columns.length; i++) {
      if (!isSame(rows, i) || !isPlain(first[i] as Value)) bound.push(i);
      else if (first[i] !== null) fixed.push(i);
    }
    const names = [...bound, ...fixed].map((i) => columns[i] as string);
    const row = [...bound.map(() => '?'), ...fixed.map((i) => literal(first[i] as Value))];
    const statement = connection.prepare(insertSql(table, names, count, ignoreExisting, row));
    const values: Value[] = new Array(count * bound.length);
    let next = 0;
    while (next + count <= rows.length) {
      let filled = 0;
      for (const end = next + count; next < end; next++) {
        const from = rows[next] as readonly Value[];
        for (const i of bound) values[filled++] = from[i] as Value;
      }
      statement.run(...values);
    }
    insertRows(table, columns, rows.slice(next), ignoreExisting);
  }

  function insertRows(
    table: string,
    columns: readonly string[],
    rows: readonly (readonly Value[])[],
    ignoreExisting: boolean,
  ): void {
    let next = 0;
    for (const count of rowsPerInsert) {
      if (rows.length - next < count) continue;
      // Every value that is bound costs, and most columns of a new row are empty.
      const used = columns.flatMap((_, i) => (isEmpty(rows, i) ? [] : [i]));
      const names = used.map((i) => columns[i] as string);
      const { statement } = prepare(insertSql(table, names, count, ignoreExisting));
      const values: Value[] = new Array(count * used.length);
      while (next + count <= rows.length) {
        let filled = 0;
        for (const end = next + count; next < end; next++) {
          const row = rows[next] as readonly Value[];
          for (const i of used) values[filled++] = row[i] as Value;
        }
        statement.run(...values);
      }
    }
    if (next < rows.length) runEach(prepare(insertSql(table, columns, 1, ignoreExisting)), rows.slice(next));
  }

  function getEach<T>(prepared: Prepared, rows: readonly (readonly Value[])[]): T[] {
    const found: T[] = [];
    for (const row of rows) {
      const values = prepared.statement.get(...row) as unknown[] | undefined;
      if (values !== undefined) found.push(makerOf(prepared)(values) as T);
    }
    return found;
  }

  const mapped = <T>(doing: string, action: () => T): Promise<T> => {
    try {
      return Promise.resolve(action());
    } catch (error) {
      return Promise.reject(sqliteError(error, where, doing));
    }
  };

  const session: TransactionSession = {
    dialect: sqliteDialect,
    all: <T>(sql: string, params: readonly Param[] = []) =>
      mapped(sql, () => allRows<T>(prepare(sql), params.map(bound))),
    insert: (
      table: string,
      columns: ColumnTypes,
      rows: readonly (readonly Value[])[],
      options: { readonly ignoreExisting?: boolean } = {},
    ) =>
      mapped(`insert into ${table}`, () =>
        (rows.length >= manyRows ? insertMany : insertRows)(
          table,
          Object.keys(columns),
          rows,
          options.ignoreExisting ?? false,
        ),
      ),
    append: (table, columns, rows) => session.insert(table, columns, rows),
    // One writer at a time: ids appear in their order.
    settledId: () => Promise.resolve(Number.MAX_SAFE_INTEGER),
    each: <T>(statement: RowStatement, rows: readonly (readonly Value[])[]) =>
      mapped(statement.table, () => {
        const prepared = prepareRow(statement);
        if (statement.returning) return getEach<T>(prepared, rows);
        runEach(prepared, rows);
        return [];
      }),
    reserve: (counter: string, count: number) =>
      mapped('reserve', () => {
        const sql = 'update counter set value = value + $2 where name = $1 returning value';
        const [row] = allRows<{ value: number }>(prepare(sql), [counter, count]);
        return (row?.value ?? 0) - count + 1;
      }),
    async attempt<T>(body: () => Promise<T>): Promise<Outcome<T>> {
      connection.exec('savepoint part');
      try {
        const value = await body();
        connection.exec('release part');
        return { value };
      } catch (error) {
        // A full disk or a damaged page makes SQLite give up the whole transaction.
        if (!connection.isTransaction || isFatal(error)) throw error;
        connection.exec('rollback to part; release part');
        return { error };
      }
    },
  };
  return session;
}

/**
 * SQLite looks into a parameter that stands alone as a limit and plans the statement anew each time it is bound: an
 * expression is left alone. A parameter with a number has a name, which node:sqlite searches for at every binding: those that come in
 * their order do without.
 */
function sqliteText(sql: string): string {
  const numbers = [...sql.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number));
  const inOrder = numbers.every((number, i) => number === i + 1);
  return sql
    .replace(/\blimit (\$\d+)/g, 'limit ($1 + 0)')
    .replace(/\$(\d+)/g, (_, number) => (inOrder ? '?' : `?${number}`));
}

function bound(param: Param): Value {
  return typeof param === 'object' && param !== null ? JSON.stringify(param) : param;
}

function isEmpty(rows: readonly (readonly Value[])[], column: number): boolean {
  for (let i = 0; i < rows.length; i++) if (rows[i]?.[column] !== null) return false;
  return true;
}

function isSame(rows: readonly (readonly Value[])[], column: number): boolean {
  const value = rows[0]?.[column];
  for (let i = 1; i < rows.length; i++) if (rows[i]?.[column] !== value) return false;
  return true;
}

/** Can stand in a statement as text: short, and without the character that would end it. */
function isPlain(value: Value): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  return value === null || (value.length <= 200 && !value.includes('\0'));
}

function literal(value: Value): string {
  return typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value);
}

/**
 * `or fail` spares the copies of pages with which SQLite could undo one statement: when one fails, the transaction or the part around
 * it is undone.
 */
function insertSql(
  table: string,
  names: readonly string[],
  rows: number,
  ignoreExisting: boolean,
  row: readonly string[] = names.map(() => '?'),
): string {
  const values = Array.from({ length: rows }, () => `(${row.join(', ')})`).join(', ');
  return `insert or fail into ${table} (${names.join(', ')}) values ${values}${
    ignoreExisting ? ' on conflict do nothing' : ''
  }`;
}

/** The statement as it is run for each row. */
export function rowSql({ table, columns, set, where, returning }: RowStatement): string {
  const names = Object.keys(columns);
  const row = (column: string): string => `$${names.indexOf(column) + 1}`;
  const verb = set ? `update or fail ${table} set ${set(row)}` : `delete from ${table}`;
  return `${verb} where ${where(row)}${returning ? ` returning ${returning}` : ''}`;
}
