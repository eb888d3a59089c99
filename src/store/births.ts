// New rows of plans, collected over all bodies that share a transaction and written in a few statements: before anything is asked that might
// depend on them, and before the commit. A look for a submission or for signatures depends on them only if they are among them.
import type { ColumnTypes, Session, Value } from './database.ts';
import type { PlanAnswers } from './plan-answers.ts';

/** Tables of which rows are collected, in the order in which they are written. */
const collected = ['run', 'run_document', 'dataset', 'action', 'edge'];
/** From here on they are written at once, so that memory does not hold every row of a large plan. */
const mostRows = 5_000;

export class Births {
  readonly #session: Session;
  #tables = new Map<string, { readonly columns: ColumnTypes; readonly rows: (readonly Value[])[] }>();
  #count = 0;
  /** What was asked ahead for all plans; holds until something is written. */
  answers: PlanAnswers | undefined;
  readonly #submissions = new Set<Value>();
  readonly #signatures = new Set<Value>();

  constructor(session: Session) {
    this.#session = session;
  }

  async add(table: string, columns: ColumnTypes, rows: readonly (readonly Value[])[]): Promise<void> {
    let births = this.#tables.get(table);
    if (!births) this.#tables.set(table, (births = { columns, rows: [] }));
    for (const row of rows) births.rows.push(row);
    this.#count += rows.length;
    if (table === 'run') note(this.#submissions, 'submission_key', columns, rows);
    if (table === 'dataset') note(this.#signatures, 'signature', columns, rows);
    if (this.#count >= mostRows) await this.write();
  }

  hasSubmission(key: string): boolean {
    return this.#submissions.has(key);
  }

  hasAnySignature(signatures: readonly string[]): boolean {
    return this.#signatures.size > 0 && signatures.some((signature) => this.#signatures.has(signature));
  }

  async write(): Promise<void> {
    this.answers = undefined;
    if (this.#count === 0) return;
    const tables = this.#tables;
    this.#tables = new Map();
    this.#count = 0;
    this.#submissions.clear();
    this.#signatures.clear();
    for (const table of collected) {
      const births = tables.get(table);
      if (births) await this.#session.insert(table, births.columns, births.rows);
    }
  }
}

function note(
  known: Set<Value>,
  column: string,
  columns: ColumnTypes,
  rows: readonly (readonly Value[])[],
): void {
  const place = Object.keys(columns).indexOf(column);
  for (const row of rows) known.add(row[place] as Value);
}

/** The session as it is for whoever plans: new rows are collected, and everything else comes after them. */
export function collectingSession(session: Session, births: () => Births): Session {
  const after = async <T>(action: () => Promise<T>): Promise<T> => {
    await births().write();
    return action();
  };
  return {
    dialect: session.dialect,
    all: (sql, params) => after(() => session.all(sql, params)),
    insert: (table, columns, rows, options = {}) => {
      if (rows.length === 0) return Promise.resolve();
      if (options.ignoreExisting || !collected.includes(table))
        return after(() => session.insert(table, columns, rows, options));
      return births().add(table, columns, rows);
    },
    each: (statement, rows) =>
      rows.length === 0 ? Promise.resolve([]) : after(() => session.each(statement, rows)),
    append: (table, columns, rows) => after(() => session.append(table, columns, rows)),
    settledId: (table) => after(() => session.settledId(table)),
    reserve: (counter, count) => session.reserve(counter, count),
  };
}
