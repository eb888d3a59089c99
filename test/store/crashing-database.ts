// A database whose process dies at a chosen point: before the k-th statement of a transaction, between its last statement and the
// commit, or between the commit and the answer. Everything up to that point really happens.
import type { Database, TransactionSession } from '../../src/store/database.ts';

export function crashingAt(database: Database, point: number): Database {
  let passed = 0;
  const pass = (): void => {
    if (passed++ === point) process.kill(process.pid, 'SIGKILL');
  };
  const counting = (session: TransactionSession): TransactionSession => ({
    dialect: session.dialect,
    all(sql, params) {
      pass();
      return session.all(sql, params);
    },
    insert(table, columns, rows, options) {
      pass();
      return session.insert(table, columns, rows, options);
    },
    append(table, columns, rows) {
      pass();
      return session.append(table, columns, rows);
    },
    settledId: (table) => session.settledId(table),
    each(statement, rows) {
      pass();
      return session.each(statement, rows);
    },
    reserve(counter, count) {
      pass();
      return session.reserve(counter, count);
    },
    attempt: (body) => session.attempt(body),
  });
  return {
    ...database,
    async transaction(body, options) {
      const result = await database.transaction(async (session) => {
        const value = await body(counting(session));
        pass();
        return value;
      }, options);
      pass();
      return result;
    },
  };
}
