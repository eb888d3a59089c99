// Reading runs and what is left of them.
import { liveActionStates } from '../../core/machines/action.ts';
import type { RunFilter, StoreView } from '../../core/ports/store.ts';
import type { RunDocument, RunRow } from '../../core/rows.ts';
import type { Param, Session } from '../database.ts';
import { sameSignature } from '../short-signature.ts';
import { runTable } from '../tables.ts';
import { byState } from './by-state.ts';

type RunReads = Pick<
  StoreView,
  | 'runs'
  | 'isLive'
  | 'runDocument'
  | 'listRuns'
  | 'runBySubmission'
  | 'liveRuns'
  | 'submittedRuns'
  | 'runsWithoutLiveActions'
  | 'countActions'
  | 'summarizeActions'
  | 'savedMs'
>;

const live = liveActionStates.map((state) => `'${state}'`).join(', ');

/** Runs that were submitted under one of these keys. */
export function runsBySubmission(session: Session, keys: readonly string[]): Promise<RunRow[]> {
  return session.all(session.dialect.eachOf(runTable.select, 'run', 'submission_key', 'text', 'true'), [
    keys,
  ]);
}

/** Those in which no action waits or is free to be taken. */
export async function runsTaken(session: Session, runIds: readonly number[]): Promise<number[]> {
  const rows = await session.all<{ id: number }>(
    `select id from run where ${session.dialect.among('id', '$1', 'int')} and not exists (
        select 1 from action where action.run_id = run.id and action.state in ('WAITING', 'READY')
          and action.cancel_requested <> 2)`,
    [runIds],
  );
  return rows.map((row) => row.id);
}

export function readRuns(session: Session): RunReads {
  const { among } = session.dialect;
  return {
    runs: (ids) =>
      session.all(`select ${runTable.select} from run where ${among('id', '$1', 'int')} order by id`, [ids]),
    async isLive(runId) {
      return (await session.all('select 1 from run where id = $1 and ended_at is null', [runId])).length > 0;
    },
    async runDocument(id) {
      const rows = await session.all<RunDocument>(
        'select source, parameters from run_document where run_id = $1',
        [id],
      );
      return rows[0];
    },
    listRuns(filter: RunFilter) {
      const conditions: string[] = [];
      const params: Param[] = [];
      const param = (value: Param): string => `$${params.push(value)}`;
      if (filter.userName !== undefined) conditions.push(`user_name = ${param(filter.userName)}`);
      if (filter.realms) conditions.push(among('realm', param(filter.realms), 'text'));
      if (filter.before !== undefined) conditions.push(`id < ${param(filter.before)}`);
      const limit = param(filter.limit);
      if (filter.states) {
        const { states } = filter;
        return session.all(
          byState({ select: runTable.select, table: 'run', states, conditions, order: 'desc', limit }),
          params,
        );
      }
      const where = conditions.length > 0 ? `where ${conditions.join(' and ')}` : '';
      return session.all(
        `select ${runTable.select} from run ${where} order by id desc limit ${limit}`,
        params,
      );
    },
    async runBySubmission(submissionKey) {
      const rows = await session.all<RunRow>(`select ${runTable.select} from run where submission_key = $1`, [
        submissionKey,
      ]);
      return rows[0];
    },
    async liveRuns() {
      const rows = await session.all<{ id: number }>(
        "select id from run where state in ('RUNNING', 'CANCELLING') order by id",
      );
      return rows.map((row) => row.id);
    },
    submittedRuns: ({ from = 0, until = Number.MAX_SAFE_INTEGER, limit }) =>
      session.all(
        `select ${runTable.select} from run where submitted_at >= $1 and submitted_at < $2
          order by submitted_at desc, id desc limit $3`,
        [from, until, limit],
      ),
    async runsWithoutLiveActions(runIds) {
      const rows = await session.all<{ id: number }>(
        `select id from run where ${among('id', '$1', 'int')} and state in ('RUNNING', 'CANCELLING')
          and not exists (
            select 1 from action where action.run_id = run.id and action.state in (${live})
              and action.cancel_requested <> 2)`,
        [runIds],
      );
      return rows.map((row) => row.id);
    },
    summarizeActions: (runId) =>
      session.all(
        `select state, reason, expands, count(*) as count from action where run_id = $1
          group by state, reason, expands`,
        [runId],
      ),
    async savedMs(runId) {
      const rows = await session.all<{ saved: number }>(
        `select cast(coalesce(sum(dataset.compute_ms), 0) as bigint) as saved
          from action join run on run.id = action.run_id
            join dataset on dataset.id = coalesce(action.dataset_id, (
              select known.id from dataset as known where ${sameSignature('known.signature', 'action.signature')}
                and known.realm = run.realm and known.is_current = 1 limit 1))
          where action.run_id = $1 and action.state in ('REUSED', 'SKIPPED')`,
        [runId],
      );
      return rows[0]?.saved ?? 0;
    },
    countActions: (runId) =>
      session.all('select state, count(*) as count from action where run_id = $1 group by state', [runId]),
  };
}
