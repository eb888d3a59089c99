// Dropping the details of old runs, and rows of datasets that nothing leads to any more. What decisions learn from stays in `history_event`, counts per hour in `action_statistic`, and the
// reason of every deletion in the journal.
import type { HistoryWrites } from '../../core/ports/history.ts';
import type { Session } from '../database.ts';
import { totalColumns } from '../outbox.ts';
import { forgettable } from './forgettable.ts';

type HistoryCompaction = Pick<HistoryWrites, 'compactRun' | 'compactJournal' | 'forgetDatasets'>;

/** SQLite numbers on from the largest id there is: with the newest row gone, who follows the numbers would miss rows. */
const notNewest = 'id < (select max(id) from journal)';
const hourMs = 3_600_000;

export function compactHistory(session: Session): HistoryCompaction {
  const part = '(select id from action where run_id = $1 order by id limit $2)';
  return {
    async compactRun(runId, at, limit) {
      await session.all(
        `insert into action_statistic (hour, name, user_name, submitted)
          select (action.created_at / ${hourMs}) * ${hourMs}, action.name, run.user_name, count(*)
          from action join run on run.id = action.run_id where action.id in ${part} and action.expands = 0
          group by 1, 2, 3
          on conflict (hour, name, user_name) do update set submitted = action_statistic.submitted + excluded.submitted`,
        [runId, limit],
      );
      await session.all(`delete from attempt where action_id in ${part}`, [runId, limit]);
      for (const holder of ['action', 'join']) {
        await session.all(
          `delete from edge where holder = '${holder}' and state = 'RELEASED' and holder_id in ${part}`,
          [runId, limit],
        );
      }
      const dropped = await session.all(`delete from action where id in ${part} returning id`, [
        runId,
        limit,
      ]);
      if (dropped.length === limit) return true;
      await session.all(`delete from journal where run_id = $1 and ${notNewest}`, [runId]);
      await session.all('delete from run_document where run_id = $1', [runId]);
      await session.all('update history_event set compacted_at = $2 where run_id = $1', [runId, at]);
      return false;
    },
    async forgetDatasets(ids, unusedSince) {
      const { among, lockOrSkip } = session.dialect;
      const rows = await session.all<{ id: number }>(
        `select id from dataset where ${among('id', '$1', 'int')} and ${forgettable('$2')}${lockOrSkip}`,
        [ids, unusedSince],
      );
      if (rows.length === 0) return 0;
      const gone = rows.map((row) => row.id);
      await session.all(
        `delete from journal where machine = 'dataset' and ${among('entity_id', '$1', 'int')} and ${notNewest}`,
        [gone],
      );
      await session.all(`delete from lineage where ${among('dataset_id', '$1', 'int')}`, [gone]);
      await session.all(`delete from dataset where ${among('id', '$1', 'int')}`, [gone]);
      await session.insert('dataset_total', totalColumns, [['DELETED', -gone.length, 0]]);
      return gone.length;
    },
    async compactJournal({ after, olderThan, limit }) {
      const rows = await session.all<{ id: number; at: number }>(
        `select id, at from journal where id > $1 and ${notNewest} order by id limit $2`,
        [after, limit],
      );
      const young = rows.findIndex((row) => row.at >= olderThan);
      const through = (young < 0 ? rows.at(-1) : rows[young - 1])?.id ?? after;
      // Rows of runs went with their run, but for the newest row of that time; why a dataset was given up is told for as long as its row lives.
      await session.all(
        `delete from journal where id > $1 and id <= $2 and (
            (run_id is null and not (machine = 'dataset' and event = 'giveUp'))
            or exists (select 1 from history_event where history_event.run_id = journal.run_id
              and history_event.compacted_at is not null))`,
        [after, through],
      );
      return { through, more: young < 0 && rows.length === limit };
    },
  };
}
