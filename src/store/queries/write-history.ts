// Writing history: the lease of the deciding process, recorded events, costs, rules and notes.
import type { HistoryWrites } from '../../core/ports/history.ts';
import type { RowStatement, Session } from '../database.ts';

type HistoryInserts = Pick<
  HistoryWrites,
  | 'takeLease'
  | 'holdLease'
  | 'releaseLease'
  | 'appendHistory'
  | 'settleDemands'
  | 'addCosts'
  | 'addKeepRule'
  | 'removeKeepRule'
  | 'noteRun'
>;

const settleDemand: RowStatement = {
  table: 'history_event',
  columns: { seq: 'int', demanded: 'text' },
  set: (row) => `demanded = ${row('demanded')}`,
  where: (row) => `history_event.seq = ${row('seq')}`,
};

const eventColumns = {
  seq: 'int',
  kind: 'text',
  at: 'int',
  run_id: 'int',
  workflow: 'text',
  user_name: 'text',
  realm: 'text',
  submitted_at: 'int',
  datasets: 'text',
  results: 'text',
  computed: 'text',
  forced: 'text',
  computed_count: 'int',
  reused_count: 'int',
  computed_ms: 'int',
  saved_ms: 'int',
  paid_ms: 'int',
} as const;

export function writeHistory(session: Session): HistoryInserts {
  const largest = async (table: string, column: string): Promise<number> => {
    const rows = await session.all<{ largest: number | null }>(
      `select max(${column}) as largest from ${table}`,
    );
    return rows[0]?.largest ?? 0;
  };
  return {
    async takeLease({ name, owner, now, until }) {
      const rows = await session.all<{ fence: number }>(
        `update lease set owner = $2, lease_until = $4, fence = fence + 1
          where name = $1 and lease_until <= $3 returning fence`,
        [name, owner, now, until],
      );
      return rows[0]?.fence;
    },
    async holdLease({ name, fence, until }) {
      const rows = await session.all(
        'update lease set lease_until = $3 where name = $1 and fence = $2 returning name',
        [name, fence, until],
      );
      return rows.length === 1;
    },
    async releaseLease({ name, fence }) {
      await session.all('update lease set lease_until = 0 where name = $1 and fence = $2', [name, fence]);
    },
    async appendHistory(events) {
      let seq = await largest('history_event', 'seq');
      const rows = events.map((event) => [
        ++seq,
        event.kind,
        event.at,
        event.runId,
        event.workflow,
        event.userName,
        event.realm,
        event.submittedAt,
        event.datasets,
        event.results,
        event.computed,
        event.forced,
        event.computedCount,
        event.reusedCount,
        event.computedMs,
        event.savedMs,
        event.paidMs,
      ]);
      await session.insert('history_event', eventColumns, rows);
      return seq;
    },
    async settleDemands(demands) {
      await session.each(
        settleDemand,
        demands.map(({ seq, demanded }) => [seq, demanded]),
      );
    },
    async addCosts(costs) {
      for (const { name, samples, meanMs, meanBytes } of costs) {
        await session.all(
          `insert into cost (name, samples, mean_ms, mean_bytes) values ($1, $2, $3, $4)
            on conflict (name) do update set
              mean_ms = (cost.mean_ms * cost.samples + excluded.mean_ms * excluded.samples) / (cost.samples + excluded.samples),
              mean_bytes = (cost.mean_bytes * cost.samples + excluded.mean_bytes * excluded.samples) / (cost.samples + excluded.samples),
              samples = cost.samples + excluded.samples`,
          [name, samples, meanMs, meanBytes],
        );
      }
    },
    async addKeepRule(rule) {
      const id = (await largest('keep_rule', 'id')) + 1;
      await session.all(
        `insert into keep_rule (id, effect, name, user_name, at_least_bytes, at_most_bytes, quota_bytes, created_by, created_at)
          values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
        [
          id,
          rule.effect,
          rule.name,
          rule.userName,
          rule.atLeastBytes,
          rule.atMostBytes,
          rule.quotaBytes,
          rule.createdBy,
          rule.createdAt,
        ],
      );
      return id;
    },
    async removeKeepRule(id) {
      return (await session.all('delete from keep_rule where id = $1 returning id', [id])).length === 1;
    },
    async noteRun({ runId, kind, at, text }) {
      const rows = await session.all(
        `insert into run_note (run_id, kind, at, text) values ($1, $2, $3, $4)
          on conflict (run_id, kind) do nothing returning run_id`,
        [runId, kind, at, text],
      );
      return rows.length === 1;
    },
  };
}
