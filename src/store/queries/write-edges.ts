// Edges change here: a dataset that becomes available is held for those who wait; a holder that ends lets go.
import type { StoreTransaction } from '../../core/ports/store.ts';
import type { EdgeRow } from '../../core/rows.ts';
import type { Session } from '../database.ts';
import { edgeTable } from '../tables.ts';

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

const key = { holder: 'text', holder_id: 'int', slot: 'text', position: 'text' } as const;
const lineageColumns = { dataset_id: 'int', slot: 'text', position: 'text', parent_id: 'int' } as const;

export function writeEdges(session: Session): EdgeWrites {
  const { dialect } = session;
  const setState = (from: string, to: string, datasetIds: readonly number[]): Promise<EdgeRow[]> =>
    session.all(
      `update edge set state = '${to}' where dataset_id in ${dialect.list('$1', 'int')} and state = '${from}'
        and holder in ('action', 'join') returning ${edgeTable.select}`,
      [JSON.stringify(datasetIds)],
    );
  return {
    insertEdges: (edges) => session.insert('edge', edgeTable.insertable, edges.map(edgeTable.values)),
    holdEdges: (datasetIds) => setState('WAITING', 'HELD', datasetIds),
    unholdEdges: (datasetIds) => setState('HELD', 'WAITING', datasetIds),
    async releaseEdges(holder, holderIds) {
      const rows = await session.all<{ datasetId: number | null }>(
        `update edge set state = 'RELEASED' where holder = $1 and holder_id in ${dialect.list('$2', 'int')}
          and state <> 'RELEASED' returning dataset_id as "datasetId"`,
        [holder, JSON.stringify(holderIds)],
      );
      return [...new Set(rows.map((row) => row.datasetId).filter((id) => id !== null))];
    },
    async repointEdges(fromDatasetId, toDatasetId) {
      await session.all(
        "update edge set dataset_id = $2 where dataset_id = $1 and state in ('WAITING', 'HELD')",
        [fromDatasetId, toDatasetId],
      );
    },
    async deleteEdges(edges) {
      const rows = edges.map((edge) => ({
        holder: edge.holder,
        holder_id: edge.holderId,
        slot: edge.slot,
        position: edge.position,
      }));
      await session.all(
        `delete from edge where exists (
          select 1 from ${dialect.rows('$1', key)} as r where r.holder = edge.holder and r.holder_id = edge.holder_id
            and r.slot = edge.slot and r.position = edge.position)
          and holder_id in ${dialect.list('$2', 'int')}`,
        [JSON.stringify(rows), JSON.stringify(edges.map((edge) => edge.holderId))],
      );
    },
    async expireEdges(now) {
      const rows = await session.all<{ datasetId: number }>(
        `update edge set state = 'RELEASED' where holder in ('pin', 'download') and state = 'HELD'
          and expires_at <= $1 returning dataset_id as "datasetId"`,
        [now],
      );
      return rows.map((row) => row.datasetId);
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
