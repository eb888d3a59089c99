// Datasets beyond their state: birth, counting uses, columns that are no state, and the dataset manager's lease.
import { availableDatasetStates, doomedDatasetStates } from '../../core/machines/dataset.ts';
import type { StoreTransaction } from '../../core/ports/store.ts';
import type { DatasetRow } from '../../core/rows.ts';
import { oneOf } from '../one-of.ts';
import { datasetTable } from '../tables.ts';
import type { WriteScope } from '../write-scope.ts';
import { addDatasetTotals } from './dataset-totals.ts';
import { inParts } from './in-parts.ts';
import { lockRows } from './lock-rows.ts';
import { setColumns } from './set-columns.ts';

type DatasetWrites = Pick<
  StoreTransaction,
  'insertDatasets' | 'lockDatasets' | 'touchDatasets' | 'updateDataset' | 'takeDoomed'
>;

const unclaimed = `not exists (
  select 1 from edge where edge.dataset_id = dataset.id and ${oneOf('edge.state', ['WAITING', 'HELD'])})`;

export function writeDatasets(scope: WriteScope): DatasetWrites {
  const { session } = scope;
  const { among, lockOrSkip } = session.dialect;
  return {
    async insertDatasets(datasets) {
      await session.insert('dataset', datasetTable.insertable, datasets.map(datasetTable.values));
      addDatasetTotals(
        scope.outbox,
        datasets.map(({ state, sizeBytes }) => ({ to: state, sizeBytes })),
      );
    },
    lockDatasets: (ids) =>
      inParts(sorted(ids), async (part) => {
        await lockRows(session, 'dataset', part);
        return session.all(
          `select id, state, removal_began_at as "removalBeganAt" from dataset where ${among('id', '$1', 'int')}
            order by id`,
          [part],
        );
      }),
    async touchDatasets(ids, at) {
      const rows = await inParts(sorted(ids), async (part) => {
        await lockRows(session, 'dataset', part);
        return session.all<Pick<DatasetRow, 'id' | 'state'>>(
          `update dataset set uses = uses + 1, used_at = $2 where ${among('id', '$1', 'int')}
            and ${oneOf('state', availableDatasetStates)} and removal_began_at is null returning id, state`,
          [part, at],
        );
      });
      return rows.sort((a, b) => a.id - b.id);
    },
    async updateDataset(id, set) {
      if ('sizeBytes' in set) throw new TypeError('the size of a dataset is known when it is published');
      await setColumns(session, 'dataset', id, set);
    },
    async takeDoomed({ owner, until, now, limit }) {
      // Locked first and looked at again in a second statement, which sees claims committed meanwhile (I2).
      const candidates = await session.all<Pick<DatasetRow, 'id' | 'state'>>(
        `select id, state from dataset where ${oneOf('state', doomedDatasetStates)} and lease_until <= $1
          and ${unclaimed} order by lease_until, id limit $2${lockOrSkip}`,
        [now, limit],
      );
      if (candidates.length === 0) return [];
      const taken = await session.all<DatasetRow>(
        `update dataset set prior = case state when 'STORED_TO_DELETE' then state else prior end,
            state = case state when 'STORED_TO_DELETE' then 'PROCESSING' else state end,
            version = version + 1, owner = $2, lease_until = $3, fence = fence + 1
          where ${among('id', '$1', 'int')} and ${unclaimed} returning ${datasetTable.select}`,
        [candidates.map((row) => row.id), owner, until],
      );
      // The others were left behind by a manager that died: they change hands, not state.
      const fresh = new Set(
        candidates.flatMap(({ id, state }) => (state === 'STORED_TO_DELETE' ? [id] : [])),
      );
      const moved = taken.filter((row) => fresh.has(row.id));
      for (const { id, state } of moved) {
        scope.outbox.addJournal([now, 'dataset', id, null, 'take', 'STORED_TO_DELETE', state, owner, null]);
      }
      addDatasetTotals(
        scope.outbox,
        moved.map(({ state, sizeBytes }) => ({ from: 'STORED_TO_DELETE', to: state, sizeBytes })),
      );
      return taken;
    },
  };
}

function sorted(ids: readonly number[]): number[] {
  return [...ids].sort((a, b) => a - b);
}
