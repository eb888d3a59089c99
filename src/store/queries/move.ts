// The one function that writes a state column (I1). A move is a compare-and-set on state and, where given, on version and on
// the owner's fencing number; rows for which it no longer holds are simply not in the answer. Each move that took
// place gets its journal row in the same transaction.
import { type MachineName, machines } from '../../core/machines/all.ts';
import type { Machine } from '../../core/machines/machine.ts';
import type { Move, MoveContext, Moved } from '../../core/ports/store.ts';
import type { ColumnType, Param, Session } from '../database.ts';
import {
  actionTable,
  attemptTable,
  datasetTable,
  journalTable,
  runTable,
  snake,
  type Table,
  workerTable,
} from '../tables.ts';

const tables: Partial<Record<MachineName, Pick<Table<unknown>, 'type'>>> = {
  run: runTable,
  action: actionTable,
  attempt: attemptTable,
  dataset: datasetTable,
  worker: workerTable,
};

/** Which column of a machine's table names the run, for the journal. */
const runColumn: Partial<Record<MachineName, string>> = { action: 'run_id', run: 'id', event: 'run_id' };

export async function move(
  session: Session,
  name: MachineName,
  event: string,
  moves: readonly Move[],
  context: MoveContext,
): Promise<Moved[]> {
  if (moves.length === 0) return [];
  const machine: Machine = machines[name];
  const row = machine.events[event];
  if (!row) throw new TypeError(`the ${name} machine has no event ${event}`);
  if (context.unclaimed) {
    const lock = `select id from ${name} where id in ${session.dialect.list('$1', 'int')} order by id${session.dialect.lock}`;
    await session.all(lock, [JSON.stringify(moves.map((one) => one.id))]);
  }
  const set = Object.keys(moves[0]?.set ?? {});
  const sql = moveStatement(
    session,
    name,
    row.moves as Record<string, string>,
    set,
    context.unclaimed ?? false,
  );
  const rows = moves.map((one) => {
    const values: Record<string, Param> = {
      id: one.id,
      new_fence: one.fence ?? null,
      new_version: one.version ?? null,
    };
    for (const field of set) values[`set_${snake(field)}`] = one.set?.[field] ?? null;
    return values;
  });
  const moved = await session.all<Moved>(sql, [JSON.stringify(rows)]);
  await writeJournal(session, name, event, moved, moves, context);
  return moved;
}

const statements = new Map<string, string>();

function moveStatement(
  session: Session,
  name: MachineName,
  targets: Record<string, string>,
  set: readonly string[],
  unclaimed: boolean,
): string {
  const key = `${session.dialect.name} ${name} ${JSON.stringify(targets)} ${set.join()} ${unclaimed}`;
  const known = statements.get(key);
  if (known) return known;
  const froms = Object.keys(targets);
  const columns: Record<string, ColumnType> = { id: 'int', new_fence: 'int', new_version: 'int' };
  for (const field of set) columns[`set_${snake(field)}`] = tables[name]?.type(snake(field)) ?? 'text';
  const assignments = set.map((field) => `, ${snake(field)} = r.set_${snake(field)}`).join('');
  const to =
    new Set(Object.values(targets)).size === 1
      ? `'${Object.values(targets)[0]}'`
      : `case ${name}.state ${froms.map((from) => `when '${from}' then '${targets[from]}'`).join(' ')} end`;
  const run = runColumn[name];
  const sql = `update ${name} set prior = state, state = ${to}, version = ${name}.version + 1${assignments}
    from ${session.dialect.rows('$1', columns)} as r
    where ${name}.id = r.id and ${name}.state in (${froms.map((from) => `'${from}'`).join(', ')})
      and (r.new_fence is null or ${name}.fence = r.new_fence)
      and (r.new_version is null or ${name}.version = r.new_version)
      ${unclaimed ? `and not exists (select 1 from edge where edge.dataset_id = ${name}.id and edge.state in ('WAITING', 'HELD'))` : ''}
    returning ${name}.id as id, ${name}.prior as "from", ${name}.state as "to", ${name}.version as version,
      ${run ? `${name}.${run}` : 'null'} as "runId"`;
  statements.set(key, sql);
  return sql;
}

async function writeJournal(
  session: Session,
  name: MachineName,
  event: string,
  moved: readonly Moved[],
  moves: readonly Move[],
  context: MoveContext,
): Promise<void> {
  const details = new Map<number, string>();
  for (const one of moves) if (one.detail !== undefined) details.set(one.id, JSON.stringify(one.detail));
  const rows = moved.map((one) => [
    context.at,
    name,
    one.id,
    one.runId,
    event,
    one.from,
    one.to,
    context.actor,
    details.get(one.id) ?? null,
  ]);
  await session.insert('journal', journalTable.insertable, rows);
}
