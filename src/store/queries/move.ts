// The one function that writes a state column (I1). A move is a compare-and-set on state and, where given, on version and on
// the owner's fencing number; rows for which it no longer holds are simply not in the answer. Each move that took
// place gets its journal row in the same transaction.
import { type MachineName, machines } from '../../core/machines/all.ts';
import type { EventRow, Machine } from '../../core/machines/machine.ts';
import type { Move, MoveContext, Moved } from '../../core/ports/store.ts';
import type { ColumnType, RowStatement, Session, Value } from '../database.ts';
import { oneOf } from '../one-of.ts';
import type { Outbox } from '../outbox.ts';
import {
  actionTable,
  attemptTable,
  datasetTable,
  runTable,
  snake,
  type Table,
  workerTable,
} from '../tables.ts';
import { addDatasetTotals } from './dataset-totals.ts';
import { lockRows } from './lock-rows.ts';

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
  outbox: Outbox,
  name: MachineName,
  event: string,
  moves: readonly Move[],
  context: MoveContext,
): Promise<Moved[]> {
  if (moves.length === 0) return [];
  const machine: Machine = machines[name];
  const row = machine.events[event];
  if (!row) throw new TypeError(`the ${name} machine has no event ${event}`);
  const fields = Object.keys(moves[0]?.set ?? {});
  if (fields.includes('sizeBytes') && event !== 'publish') {
    throw new TypeError('the size of a dataset is known when it is published, and stays');
  }
  const unclaimed = context.unclaimed ?? false;
  if (unclaimed) {
    await lockRows(
      session,
      'dataset',
      moves.map((one) => one.id),
    );
  }
  const statement = moveStatement(name, event, row, fields, unclaimed);
  // In id order, so that two transactions that move the same rows wait for each other instead of blocking each other.
  const sorted = moves.length === 1 ? moves : [...moves].sort((a, b) => a.id - b.id);
  const rows = sorted.map((one) => {
    const values: Value[] = [one.id, one.fence ?? null, one.version ?? null];
    for (const field of fields) values.push(one.set?.[field] ?? null);
    return values;
  });
  const moved = await session.each<Moved & { readonly sizeBytes: number | null }>(statement, rows);
  moved.sort((a, b) => a.id - b.id);
  const details = new Map<number, string>();
  for (const one of moves) if (one.detail !== undefined) details.set(one.id, JSON.stringify(one.detail));
  for (const { id, runId, from, to } of moved) {
    outbox.addJournal([context.at, name, id, runId, event, from, to, context.actor, details.get(id) ?? null]);
  }
  if (name === 'dataset') addDatasetTotals(outbox, moved);
  return moved;
}

const statements = new Map<string, RowStatement>();

function moveStatement(
  name: MachineName,
  event: string,
  row: EventRow<string>,
  fields: readonly string[],
  unclaimed: boolean,
): RowStatement {
  const key = `${name} ${event} ${fields.join()} ${unclaimed}`;
  let statement = statements.get(key);
  if (!statement) {
    statement = buildStatement(name, row.moves as Record<string, string>, fields, unclaimed);
    statements.set(key, statement);
  }
  return statement;
}

function buildStatement(
  name: MachineName,
  targets: Readonly<Record<string, string>>,
  fields: readonly string[],
  unclaimed: boolean,
): RowStatement {
  const froms = Object.keys(targets);
  const tos = [...new Set(Object.values(targets))];
  const to =
    tos.length === 1
      ? `'${tos[0]}'`
      : `case ${name}.state ${froms.map((from) => `when '${from}' then '${targets[from]}'`).join(' ')} end`;
  const columns: Record<string, ColumnType> = { id: 'int', known_fence: 'int', known_version: 'int' };
  for (const field of fields) columns[`set_${snake(field)}`] = tables[name]?.type(snake(field)) ?? 'text';
  const givenBack = name === 'action' && tos.every((state) => state === 'READY' || state === 'WAITING');
  const run = runColumn[name];
  return {
    table: name,
    columns,
    set: (value) =>
      [
        'prior = state',
        `state = ${to}`,
        `version = ${name}.version + 1`,
        ...fields.map((field) => `${snake(field)} = ${value(`set_${snake(field)}`)}`),
        // Nobody holds an action that may be taken: without a due time it may be taken at once.
        ...(givenBack && !fields.includes('owner') ? ['owner = null'] : []),
        ...(givenBack && !fields.includes('leaseUntil') ? ['lease_until = 0'] : []),
      ].join(', '),
    where: (value) => `${name}.id = ${value('id')} and ${oneOf(`${name}.state`, froms)}
      and (${value('known_fence')} is null or ${name}.fence = ${value('known_fence')})
      and (${value('known_version')} is null or ${name}.version = ${value('known_version')})${
        unclaimed
          ? ` and not exists (select 1 from edge where edge.dataset_id = ${name}.id
              and ${oneOf('edge.state', ['WAITING', 'HELD'])})`
          : ''
      }`,
    returning: `${name}.id as id, ${name}.prior as "from", ${name}.state as "to", ${name}.version as version,
      ${run ? `${name}.${run}` : 'null'} as "runId"${name === 'dataset' ? ', dataset.size_bytes as "sizeBytes"' : ''}`,
  };
}
