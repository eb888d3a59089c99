// Locks rows until the end of the transaction, in id order so that two lockers never wait for each other. A statement that follows
// sees what was committed until the lock was got. Where one writer excludes all others there is nothing to do.
import type { Session } from '../database.ts';

export async function lockRows(
  session: Session,
  table: 'run' | 'action' | 'dataset',
  ids: readonly number[],
): Promise<void> {
  const { among, lock } = session.dialect;
  if (lock === '' || ids.length === 0) return;
  await session.all(`select id from ${table} where ${among('id', '$1', 'int')} order by id${lock}`, [ids]);
}
