// Looks for damage and broken invariants in a store, without changing anything.
import type { Database } from './database.ts';

export interface StoreFinding {
  readonly check: string;
  /** `damage`: data may be lost; `leak`: something is kept or waited for that nobody needs. */
  readonly severity: 'damage' | 'leak';
  readonly count: number;
  readonly example: string;
}

interface Check {
  readonly name: string;
  readonly severity: StoreFinding['severity'];
  /** Selects the id of each offending row as `id`. */
  readonly sql: string;
}

const live = "('WAITING', 'READY', 'PROCESSING', 'STAGING', 'SUBMITTED', 'RUNNING', 'DESTAGING')";

const checks: readonly Check[] = [
  {
    name: 'an action belongs to a run that does not exist',
    severity: 'damage',
    sql: 'select id from action where not exists (select 1 from run where run.id = action.run_id)',
  },
  {
    name: 'an attempt belongs to an action that does not exist',
    severity: 'damage',
    sql: 'select id from attempt where not exists (select 1 from action where action.id = attempt.action_id)',
  },
  {
    name: 'an edge points to a dataset that does not exist',
    severity: 'damage',
    sql: `select holder_id as id from edge where state <> 'RELEASED' and dataset_id is not null
      and not exists (select 1 from dataset where dataset.id = edge.dataset_id)`,
  },
  {
    name: 'a claimed dataset is being removed (I2)',
    severity: 'damage',
    sql: `select id from dataset where state in ('PROCESSING', 'DELETING')
      and exists (select 1 from edge where edge.dataset_id = dataset.id and edge.state = 'HELD')`,
  },
  {
    name: 'a stored dataset has no place or digest (I3)',
    severity: 'damage',
    sql: `select id from dataset where state in ('STORED', 'LEAF', 'STORED_TO_DELETE')
      and (location is null or digest is null)`,
  },
  {
    name: 'two datasets are current under one signature (I5)',
    severity: 'damage',
    sql: 'select min(id) as id from dataset where is_current = 1 group by signature, realm having count(*) > 1',
  },
  {
    name: 'a READY action waits for an input (I6)',
    severity: 'damage',
    sql: `select id from action where state = 'READY' and exists (
      select 1 from edge where edge.holder = 'action' and edge.holder_id = action.id and edge.state = 'WAITING')`,
  },
  {
    name: 'a live action belongs to an ended run',
    severity: 'leak',
    sql: `select id from action where state in ${live} and cancel_requested <> 2 and exists (
      select 1 from run where run.id = action.run_id and run.ended_at is not null)`,
  },
  {
    name: 'an ended action still claims a dataset',
    severity: 'leak',
    sql: `select id from action where state not in ${live} and exists (
      select 1 from edge where edge.holder = 'action' and edge.holder_id = action.id and edge.state <> 'RELEASED')`,
  },
  {
    name: 'a dataset is being computed by nobody',
    severity: 'leak',
    sql: `select id from dataset where state in ('TO_STORE', 'TO_LEAF', 'TO_DELETE') and not exists (
      select 1 from action where action.id = dataset.producer_id and action.state in ${live})`,
  },
  {
    name: 'an attempt is live although its action is not with a back-end',
    severity: 'leak',
    sql: `select id from attempt where state in ('SUBMITTED', 'RUNNING') and not exists (
      select 1 from action where action.id = attempt.action_id and action.state in ('SUBMITTED', 'RUNNING', 'DESTAGING'))`,
  },
];

/** All findings in one consistent look; an empty list means that the store is sound. */
export async function checkStore(database: Database): Promise<StoreFinding[]> {
  return database.snapshot(async (session) => {
    const findings: StoreFinding[] = [];
    if (session.dialect.name === 'sqlite') {
      const rows = await session.all<{ integrity_check: string }>('pragma integrity_check');
      const bad = rows.filter((row) => row.integrity_check !== 'ok');
      if (bad.length > 0) {
        const example = bad[0]?.integrity_check ?? '';
        findings.push({
          check: 'the database file is damaged',
          severity: 'damage',
          count: bad.length,
          example,
        });
      }
    }
    for (const { name, severity, sql } of checks) {
      const [row] = await session.all<{ count: number; example: number | null }>(
        `select count(*) as count, min(id) as example from (${sql}) as offending`,
      );
      if (row && row.count > 0) {
        findings.push({ check: name, severity, count: row.count, example: `id ${row.example}` });
      }
    }
    return findings;
  });
}
