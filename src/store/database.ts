// What the store needs from a database. SQLite and PostgreSQL implement it; where they differ, the difference is a property of
// the dialect, so that every query is written once.

export type Param = string | number | null;
export type ColumnType = 'int' | 'text' | 'real';

/** Text fragments in which the two databases differ. */
export interface Dialect {
  readonly name: 'sqlite' | 'postgres';
  /** Column types of the schema. */
  readonly types: { readonly key: string; readonly int: string; readonly real: string };
  /** Ends a `create table` whose primary key is its storage order, where the database has that. */
  readonly clustered: string;
  /** Row lock until the end of the transaction; empty where one writer excludes all others. */
  readonly lock: string;
  /** Row lock that passes over rows locked by others. */
  readonly lockOrSkip: string;
  /** A derived table of the objects in a JSON list parameter. */
  rows(param: string, columns: Readonly<Record<string, ColumnType>>): string;
  /** A one-column derived table of the integers or strings in a JSON list parameter. */
  list(param: string, type: 'int' | 'text'): string;
  /** A text comparison that reads both as JSON is never needed; `least` and `greatest` are. */
  greatest(a: string, b: string): string;
}

/** Statements inside one transaction, or single statements outside any. Parameters are written $1, $2, … */
export interface Session {
  readonly dialect: Dialect;
  all<T>(sql: string, params?: readonly Param[]): Promise<T[]>;
  /** Inserts many rows; with `ignoreExisting`, rows that would violate a unique index are left out. */
  insert(
    table: string,
    columns: Readonly<Record<string, ColumnType>>,
    rows: readonly (readonly Param[])[],
    options?: { readonly ignoreExisting?: boolean },
  ): Promise<void>;
}

export interface TransactionOptions {
  /** False when losing the transaction in a power failure is harmless; it still survives the death of the process. */
  readonly durable: boolean;
}

export interface Database {
  readonly dialect: Dialect;
  /** How many transactions may be under way at once. */
  readonly lanes: number;
  /** Statements outside a transaction; each sees the newest committed state. */
  readonly reader: Session;
  /** Runs the body in one transaction; retried as a whole on deadlock, lock time-out and lost connection. */
  transaction<T>(body: (session: Session) => Promise<T>, options: TransactionOptions): Promise<T>;
  /** Tells every process that listens, this one included; called after commit. */
  notify(topics: ReadonlySet<string>): void;
  listen(listener: (topic: string) => void): () => void;
  /** Runs the body while no other process does the same under this name. */
  exclusively<T>(name: string, body: () => Promise<T>): Promise<T>;
  close(): Promise<void>;
}
