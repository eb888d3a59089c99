// Edges change here: a dataset that becomes available is held for those who wait; a holder that ends lets go.
import type { StoreTransaction } from '../../core/ports/store.ts';
import type { EdgeRow } from '../../core/rows.ts';
import type { RowStatement } from '../database.ts';
import { oneOf } from '../one-of.ts';
import { edgeTable } from '../tables.ts';
import type { WriteScope } from '../write-scope.ts';
import { lockRows } from './lock-rows.ts';

type EdgeWrites = Pick<
  StoreTransaction,
  | 'insertEdges'
  | 'holdEdges'
  | 'unholdEdges'
  | 'releaseEdges'
  | 'repointEdges'
  | 'deleteEdges'
  | 'expireEdges'
  | 'insertLineage'
  | 'putGrowth'
>;

const oneEdge: RowStatement = {
  table: 'edge',
  columns: { holder: 'text', holder_id: 'int', slot: 'text', position: 'text' },
  where: (row) => `edge.holder = ${row('holder')} and edge.holder_id = ${row('holder_id')}
    and edge.slot = ${row('slot')} and edge.position = ${row('position')}`,
};
// Said of the others: a condition that an index can answer would lead SQLite, which knows nothing of how many rows there are, to
// read the edges of all actions instead of those on the datasets.
const notThoseThatKeep = ['run', 'pin', 'download'].map((holder) => `holder <> '${holder}'`).join(' and ');
const lineageColumns = { dataset_id: 'int', slot: 'text', position: 'text', parent_id: 'int' } as const;

export function writeEdges({ session }: WriteScope): EdgeWrites {
  const { among } = session.dialect;
  const setState = async (from: string, to: string, datasetIds: readonly number[]): Promise<EdgeRow[]> => {
    const rows = await session.all<EdgeRow>(
      `update edge set state = '${to}' where ${among('dataset_id', '$1', 'int')} and state = '${from}'
        and ${notThoseThatKeep} returning ${edgeTable.select}`,
      [datasetIds],
    );
    // What an update returns comes in the order of its plan, which differs between databases (I11).
    return rows.sort(
      (a, b) =>
        (a.holder < b.holder ? -1 : a.holder > b.holder ? 1 : a.holderId - b.holderId) ||
        (a.slot < b.slot ? -1 : a.slot > b.slot ? 1 : a.position < b.position ? -1 : 1),
    );
  };
  return {
    insertEdges: (edges) => session.insert('edge', edgeTable.insertable, edges.map(edgeTable.values)),
    holdEdges: (datasetIds) => setState('WAITING', 'HELD', datasetIds),
    unholdEdges: (datasetIds) => setState('HELD', 'WAITING', datasetIds),
    async releaseEdges(holder, holderIds) {
      const rows = await session.all<{ datasetId: number | null }>(
        `update edge set state = 'RELEASED' where holder = $1 and ${among('holder_id', '$2', 'int')}
          and state <> 'RELEASED' returning dataset_id as "datasetId"`,
        [holder, holderIds],
      );
      return [...new Set(rows.map((row) => row.datasetId).filter((id) => id !== null))].sort((a, b) => a - b);
    },
    async repointEdges(fromDatasetId, toDatasetId) {
      // Whoever is about to wait for the old one has locked it: its edge is seen below.
      await lockRows(session, 'dataset', [fromDatasetId, toDatasetId]);
      await session.all(
        `update edge set dataset_id = $2 where dataset_id = $1 and ${oneOf('state', ['WAITING', 'HELD'])}`,
        [fromDatasetId, toDatasetId],
      );
    },
    async deleteEdges(edges) {
      await session.each(
        oneEdge,
        edges.map((edge) => [edge.holder, edge.holderId, edge.slot, edge.position]),
      );
    },
    async expireEdges(now) {
      const rows = await session.all<{ datasetId: number }>(
        `update edge set state = 'RELEASED' where state = 'HELD' and expires_at is not null
          and expires_at <= $1 returning dataset_id as "datasetId"`,
        [now],
      );
      return rows.map((row) => row.datasetId).sort((a, b) => a - b);
    },
    insertLineage: (rows) =>
      session.insert(
        'lineage',
        lineageColumns,
        rows.map((row) => [row.datasetId, row.slot, row.position, row.parentId]),
        { ignoreExisting: true },
      ),
    async putGrowth(signature, realm, members, at) {
      await session.all(
        `insert into growth (signature, realm, members, made_at) values ($1, $2, $3, $4)
          on conflict (signature, realm) do update set members = excluded.members, made_at = excluded.made_at`,
        [signature, realm, JSON.stringify(members), at],
      );
    },
  };
}
