// Datasets beyond their state: counting uses, columns that are no state, and the dataset manager's lease.
import type { StoreTransaction } from '../../core/ports/store.ts';
import type { DatasetRow } from '../../core/rows.ts';
import type { Session } from '../database.ts';
import { datasetTable, journalTable } from '../tables.ts';
import { setColumns } from './set-columns.ts';

type DatasetWrites = Pick<
  StoreTransaction,
  'insertDatasets' | 'touchDatasets' | 'lockDatasets' | 'updateDataset' | 'takeDoomed'
>;

const unclaimed = `not exists (
  select 1 from edge where edge.dataset_id = dataset.id and edge.state in ('WAITING', 'HELD'))`;

export function writeDatasets(session: Session): DatasetWrites {
  const { dialect } = session;
  return {
    insertDatasets: (datasets) =>
      session.insert('dataset', datasetTable.insertable, datasets.map(datasetTable.values)),
    async touchDatasets(ids, at) {
      if (ids.length === 0) return [];
      const sorted = JSON.stringify([...ids].sort((a, b) => a - b));
      if (dialect.lock !== '') {
        await session.all(
          `select id from dataset where id in ${dialect.list('$1', 'int')} order by id${dialect.lock}`,
          [sorted],
        );
      }
      const rows = await session.all<{ id: number }>(
        `update dataset set uses = uses + 1, used_at = $2 where id in ${dialect.list('$1', 'int')}
          and state in ('STORED', 'LEAF', 'STORED_TO_DELETE') and removal_began_at is null returning id`,
        [sorted, at],
      );
      return rows.map((row) => row.id);
    },
    async lockDatasets(ids) {
      if (ids.length === 0) return [];
      return session.all(
        `select id, state from dataset where id in ${dialect.list('$1', 'int')} order by id${dialect.lock}`,
        [JSON.stringify(ids)],
      );
    },
    updateDataset: (id, set) => setColumns(session, 'dataset', id, set),
    async takeDoomed({ owner, until, now, limit }) {
      // Locked first and looked at again in a second statement, which sees claims committed meanwhile (I2).
      const candidates = await session.all<{ id: number; state: string }>(
        `select id, state from dataset where state in ('STORED_TO_DELETE', 'PROCESSING', 'DELETING') and lease_until <= $1
          and ${unclaimed} order by lease_until, id limit $2${dialect.lockOrSkip}`,
        [now, limit],
      );
      if (candidates.length === 0) return [];
      const ids = JSON.stringify(candidates.map((row) => row.id));
      // The others are taken over from a manager that died: they do not move.
      const given = new Set(candidates.filter((row) => row.state === 'STORED_TO_DELETE').map((row) => row.id));
      const taken = await session.all<DatasetRow>(
        `update dataset set prior = case state when 'STORED_TO_DELETE' then state else prior end,
            state = case state when 'STORED_TO_DELETE' then 'PROCESSING' else state end,
            version = version + 1, owner = $2, lease_until = $3, fence = fence + 1
          where id in ${dialect.list('$1', 'int')} and ${unclaimed} returning ${datasetTable.select}`,
        [ids, owner, until],
      );
      await session.insert(
        'journal',
        journalTable.insertable,
        taken
          .filter((row) => given.has(row.id))
          .map((row) => [
            now,
            'dataset',
            row.id,
            null,
            'take',
            'STORED_TO_DELETE',
            'PROCESSING',
            owner,
            null,
          ]),
      );
      return taken;
    },
  };
}
