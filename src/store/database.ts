// What the store needs from a database. SQLite and PostgreSQL implement it; where they differ, the difference is a property of
// the dialect, so that every query is written once.

import type { Durability } from '../core/ports/store.ts';

export type Value = string | number | null;
/** A list travels as one parameter and is read with `Dialect.among`. */
export type Param = Value | readonly number[] | readonly string[];
export type ColumnType = 'int' | 'text' | 'real';
export type ColumnTypes = Readonly<Record<string, ColumnType>>;

/** Text fragments in which the two databases differ. */
export interface Dialect {
  readonly name: 'sqlite' | 'postgres';
  /** Column types of the schema. Text is compared by its bytes on both, so that both sort alike (I11). */
  readonly types: {
    readonly key: string;
    /** A key that the database counts up by itself. */
    readonly ownKey: string;
    readonly int: string;
    readonly real: string;
    readonly text: string;
  };
  /** Ends a `create table` whose primary key is its storage order, where the database has that. */
  readonly clustered: string;
  /** Ends the column list of an index that is to be ordered by id; empty where every index ends with the row id. */
  readonly thenId: string;
  /** Row lock until the end of the transaction; empty where one writer excludes all others. */
  readonly lock: string;
  /** Row lock that passes over rows locked by others. */
  readonly lockOrSkip: string;
  /** Waits for a lock of this number, which is held until the end of the transaction; empty where one writer excludes all others. */
  readonly lockNumber: string;
  /** A condition: the column is one of a list parameter. */
  among(column: string, param: string, type: 'int' | 'text'): string;
  /**
   * A statement: the rows for which an expression is one of the list $1, and the condition holds. Each element is looked up in the
   * index of the expression, even by a plan that was made when the table was empty; for one that comes twice, they may come twice.
   */
  eachOf(columns: string, table: string, expression: string, type: 'int' | 'text', condition: string): string;
  /** A condition: the text of the column contains a text parameter. */
  contains(column: string, param: string): string;
}

/** The value of a column in the row at hand, as SQL. */
export type RowValue = (column: string) => string;

/** One statement that is applied to many rows of values; each row of values fits at most one row of the table. */
export interface RowStatement {
  readonly table: string;
  readonly columns: ColumnTypes;
  /** Assignments of an update; left out for a delete. */
  readonly set?: (row: RowValue) => string;
  readonly where: (row: RowValue) => string;
  readonly returning?: string;
}

/** What became of a part of a transaction. */
export type Outcome<T> = { readonly value: T } | { readonly error: unknown };

export interface InsertOptions {
  /** Rows that would violate a unique index are left out. */
  readonly ignoreExisting?: boolean;
}

/** Statements inside one transaction, or single statements outside any. Parameters are written $1, $2, … */
export interface Session {
  readonly dialect: Dialect;
  all<T>(sql: string, params?: readonly Param[]): Promise<T[]>;
  /** Inserts many rows. In a transaction, that they are refused may be told by a later statement or by the commit. */
  insert(
    table: string,
    columns: ColumnTypes,
    rows: readonly (readonly Value[])[],
    options?: InsertOptions,
  ): Promise<void>;
  /** Applies the statement to each row; returns what it returns, in no promised order. */
  each<T>(statement: RowStatement, rows: readonly (readonly Value[])[]): Promise<T[]>;
  /** Inserts rows that the database numbers, so that a reader who follows the numbers misses none: see `settledId`. */
  append(table: string, columns: ColumnTypes, rows: readonly (readonly Value[])[]): Promise<void>;
  /** Up to this id every appended row is there or never will be. What was committed before the call is included. */
  settledId(table: string): Promise<number>;
  /** Reserves consecutive numbers of a counter and returns the first. Numbers of a failed transaction may be lost. */
  reserve(counter: string, count: number): Promise<number>;
}

/** A session that can undo a part of its transaction. */
export interface TransactionSession extends Session {
  /** Runs the body; if it throws, its effects are undone and its error returned. Throws when the whole transaction is lost. */
  attempt<T>(body: () => Promise<T>): Promise<Outcome<T>>;
}

export interface TransactionOptions {
  readonly durable: Durability;
  /** How many bodies of the same kind share it. */
  readonly parts?: number;
  /** True when the body may be run again after a commit of which nobody knows whether it took place. */
  readonly repeatable?: boolean;
}

export interface Database {
  readonly dialect: Dialect;
  /** Where it is, without secrets. */
  readonly where: string;
  /** How many transactions may be under way at once. */
  readonly lanes: number;
  /** Statements outside a transaction; each sees the newest committed state. */
  readonly reader: Session;
  /** As `reader`, for looks at much of the database: what was looked at does not stay in the memory of the process. */
  readonly surveyor: Session;
  /** Runs the body in one transaction; retried as a whole on deadlock, lock time-out and lost connection. */
  transaction<T>(body: (session: TransactionSession) => Promise<T>, options: TransactionOptions): Promise<T>;
  /** Runs the body in a read-only transaction that sees one state from beginning to end. */
  snapshot<T>(body: (session: Session) => Promise<T>): Promise<T>;
  /** Tells every process that listens, this one included; called after commit. */
  notify(topics: ReadonlySet<string>): void;
  listen(listener: (topic: string) => void): () => void;
  /** Resolves when everything that a reader can see now is durable. */
  settled(): Promise<void>;
  /** Runs the body while no other process does the same under this name. */
  exclusively<T>(name: string, body: () => Promise<T>): Promise<T>;
  close(): Promise<void>;
}
