// Sets columns of one row that are no state; a state column is refused.
import type { Session, Value } from '../database.ts';
import { snake } from '../tables.ts';

const guarded = new Set(['state', 'prior', 'version', 'fence']);

export async function setColumns(
  session: Session,
  table: string,
  id: number,
  set: Readonly<Record<string, Value>>,
): Promise<void> {
  const fields = Object.keys(set);
  for (const field of fields)
    if (guarded.has(field)) throw new TypeError(`${field} moves only along its machine (I1)`);
  await session.all(
    `update ${table} set ${fields.map((field, i) => `${snake(field)} = $${i + 2}`).join(', ')} where id = $1`,
    [id, ...fields.map((field) => set[field] ?? null)],
  );
}
