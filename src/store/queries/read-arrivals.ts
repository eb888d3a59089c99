// What people ask of the history: the last actions, how many arrived when and how far apart, what actions cost, what reuse saved, and
// who holds what. Counts of compacted runs are known by the hour, and fall into the stretch in which their hour begins.
import type { ArrivalFilter, ArrivalGaps, HistoryView } from '../../core/ports/history.ts';
import type { Param, Session } from '../database.ts';

type ArrivalReads = Pick<
  HistoryView,
  | 'recentActions'
  | 'countArrivals'
  | 'arrivalGaps'
  | 'actionCosts'
  | 'savings'
  | 'keepRules'
  | 'runNotes'
  | 'heldResults'
  | 'resultHolders'
>;

export function readArrivals(session: Session): ArrivalReads {
  const { dialect } = session;
  return {
    recentActions: ({ before, realms, limit }) =>
      session.all(
        `select action.id, action.run_id as "runId", action.key, action.name, run.user_name as "userName",
            action.state, action.signature, action.dataset_id as "datasetId", action.created_at as "createdAt",
            action.ended_at as "endedAt"
          from action join run on run.id = action.run_id
          where action.id < $1 and action.expands = 0 ${realms ? `and ${dialect.among('run.realm', '$3', 'text')}` : ''}
          order by action.id desc limit $2`,
        [before ?? Number.MAX_SAFE_INTEGER, limit, ...(realms ? [realms] : [])],
      ),
    countArrivals(filter) {
      const params: Param[] = [];
      const param = (value: Param): string => `$${params.push(value)}`;
      const resolution = `cast(${param(filter.resolutionMs)} as bigint)`;
      const start = (time: string): string => `(${time} / ${resolution}) * ${resolution}`;
      const arrivals = `select ${start('at')} as start, 1 as n from (${arrivalTimes(filter, param)}) as arrivals`;
      const compacted =
        filter.of === 'runs'
          ? ''
          : `union all select ${start('hour')}, submitted from action_statistic
              where ${period('hour', filter, param)} ${named('name', filter, param)} ${owned('user_name', filter, param)}`;
      return session.all(
        `select start, cast(sum(n) as bigint) as count from (${arrivals} ${compacted}) as counted
          where start > ${param(filter.after ?? -1)} group by start order by start limit ${param(filter.limit)}`,
        params,
      );
    },
    async arrivalGaps(filter): Promise<ArrivalGaps> {
      const params: Param[] = [];
      const param = (value: Param): string => `$${params.push(value)}`;
      const resolution = `cast(${param(filter.resolutionMs)} as bigint)`;
      const gaps = `select gap from (
        select at - lag(at) over (order by at, id) as gap from (${arrivalTimes(filter, param)}) as arrivals
      ) as pairs where gap is not null`;
      const rows = await session.all<{
        stretch: number;
        count: number;
        total: number;
        least: number;
        most: number;
      }>(
        `select gap / ${resolution} as stretch, count(*) as count, cast(sum(gap) as bigint) as total,
            min(gap) as least, max(gap) as most
          from (${gaps}) as gaps group by 1 order by 1`,
        params,
      );
      const count = rows.reduce((sum, row) => sum + row.count, 0);
      return {
        count,
        meanMs: count === 0 ? 0 : rows.reduce((sum, row) => sum + row.total, 0) / count,
        leastMs: rows[0]?.least ?? 0,
        mostMs: rows.at(-1)?.most ?? 0,
        histogram: rows.map((row) => ({ gapMs: row.stretch * filter.resolutionMs, count: row.count })),
      };
    },
    actionCosts: ({ after, limit }) =>
      session.all(
        `select name, samples, mean_ms as "meanMs", mean_bytes as "meanBytes" from cost
          where name > $1 order by name limit $2`,
        [after ?? '', limit],
      ),
    savings: ({ from, until, realms }) =>
      session.all(
        `select user_name as "userName", workflow, count(*) as runs, cast(sum(computed_ms) as bigint) as "computedMs",
            cast(sum(saved_ms) as bigint) as "savedMs", cast(sum(paid_ms) as bigint) as "paidMs"
          from history_event where kind = 'run' and submitted_at >= $1 and submitted_at < $2
            ${realms ? `and ${dialect.among('realm', '$3', 'text')}` : ''}
          group by user_name, workflow order by user_name, workflow`,
        [from, until, ...(realms ? [realms] : [])],
      ),
    keepRules: () =>
      session.all(
        `select id, effect, name, user_name as "userName", at_least_bytes as "atLeastBytes",
            at_most_bytes as "atMostBytes", quota_bytes as "quotaBytes", created_by as "createdBy",
            created_at as "createdAt"
          from keep_rule order by id`,
      ),
    runNotes: (runIds) =>
      session.all(
        `select run_id as "runId", kind, at, text from run_note where ${dialect.among('run_id', '$1', 'int')}
          order by run_id, kind`,
        [runIds],
      ),
    // `cross join` keeps SQLite, which knows nothing of how many rows there are, from beginning with all edges.
    heldResults: (userName) =>
      session.all(
        `select run.id as "runId", edge.slot, edge.position, edge.dataset_id as "datasetId",
            coalesce(dataset.size_bytes, 0) as "sizeBytes"
          from run cross join edge cross join dataset
          where run.user_name = $1 and run.ended_at is not null and edge.holder = 'run' and edge.holder_id = run.id
            and edge.state = 'HELD' and dataset.id = edge.dataset_id order by run.id desc, edge.slot, edge.position`,
        [userName],
      ),
    async resultHolders() {
      const rows = await session.all<{ userName: string }>(
        'select distinct user_name as "userName" from run order by 1',
      );
      return rows.map((row) => row.userName);
    },
  };
}

/** Submission times of runs, or times at which actions were planned, with ids that break ties. */
function arrivalTimes(filter: ArrivalFilter, param: (value: Param) => string): string {
  if (filter.of === 'runs') {
    return `select submitted_at as at, id from run where ${period('submitted_at', filter, param)}
      ${named('name', filter, param)} ${owned('user_name', filter, param)}`;
  }
  return `select action.created_at as at, action.id from run join action on action.run_id = run.id
    where ${period('run.submitted_at', filter, param)} and action.expands = 0
      ${named('action.name', filter, param)} ${owned('run.user_name', filter, param)}`;
}

function period(column: string, { from, until }: ArrivalFilter, param: (value: Param) => string): string {
  return `${column} >= ${param(from)} and ${column} < ${param(until)}`;
}

function named(column: string, { name }: ArrivalFilter, param: (value: Param) => string): string {
  return name === undefined ? '' : `and ${column} = ${param(name)}`;
}

function owned(column: string, { userName }: ArrivalFilter, param: (value: Param) => string): string {
  return userName === undefined ? '' : `and ${column} = ${param(userName)}`;
}
