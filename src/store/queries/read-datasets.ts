// Reading datasets: by identity, by place, by name, and along their lineage.
import type { DatasetFilter, GrowthMember, StoreView } from '../../core/ports/store.ts';
import type { Param, Session } from '../database.ts';
import { datasetTable } from '../tables.ts';
import { words } from './words.ts';

type DatasetReads = Pick<
  StoreView,
  | 'datasets'
  | 'datasetsBySignature'
  | 'datasetFacts'
  | 'datasetFactsById'
  | 'datasetsByPhysical'
  | 'datasetsByPrefix'
  | 'datasetsByLocation'
  | 'listDatasets'
  | 'datasetsNamed'
  | 'datasetTotals'
  | 'growths'
  | 'parentsOf'
  | 'childrenOf'
>;

const factColumns = `id, state, signature, realm, definition, removal_began_at as "removalBeganAt", digest,
  producer_id as "producerId", same_as as "sameAs", deleted_reason as "deletedReason", location,
  size_bytes as "sizeBytes", managed`;

/** Parameters beyond this many are sent in parts, so that one statement's JSON stays small. */
const partSize = 10_000;

async function inParts<I, T>(items: readonly I[], query: (part: readonly I[]) => Promise<T[]>): Promise<T[]> {
  if (items.length <= partSize) return items.length === 0 ? [] : query(items);
  const found: T[] = [];
  for (let start = 0; start < items.length; start += partSize) {
    for (const row of await query(items.slice(start, start + partSize))) found.push(row);
  }
  return found;
}

export function readDatasets(session: Session): DatasetReads {
  const { dialect } = session;
  const select = `select ${datasetTable.select} from dataset`;
  return {
    datasets: (ids) =>
      inParts(ids, (part) =>
        session.all(`${select} where id in ${dialect.list('$1', 'int')} order by id`, [JSON.stringify(part)]),
      ),
    datasetsBySignature: (signatures, realms) =>
      inParts(signatures, (part) =>
        session.all(
          `${select} where signature in ${dialect.list('$1', 'text')} and realm in ${dialect.list('$2', 'text')}
            and is_current = 1`,
          [JSON.stringify(part), JSON.stringify(realms)],
        ),
      ),
    datasetFacts: (signatures, realms) =>
      inParts(signatures, (part) =>
        session.all(
          `select ${factColumns} from dataset where signature in ${dialect.list('$1', 'text')}
            and realm in ${dialect.list('$2', 'text')} and is_current = 1`,
          [JSON.stringify(part), JSON.stringify(realms)],
        ),
      ),
    datasetFactsById: (ids) =>
      inParts(ids, (part) =>
        session.all(`select ${factColumns} from dataset where id in ${dialect.list('$1', 'int')}`, [
          JSON.stringify(part),
        ]),
      ),
    datasetsByPhysical: (physicals, realms) =>
      inParts(physicals, (part) =>
        session.all(
          `${select} where physical in ${dialect.list('$1', 'text')} and realm in ${dialect.list('$2', 'text')}
            order by id`,
          [JSON.stringify(part), JSON.stringify(realms)],
        ),
      ),
    datasetsByPrefix: (prefix, limit) =>
      session.all(
        `${select} where signature >= $1 and signature < $2 and is_current = 1 order by signature limit $3`,
        [prefix, `${prefix}g`, limit],
      ),
    datasetsByLocation: (locations) =>
      inParts(locations, (part) =>
        session.all(`${select} where location in ${dialect.list('$1', 'text')}`, [JSON.stringify(part)]),
      ),
    listDatasets(filter: DatasetFilter) {
      const conditions = ['is_current = 1'];
      const params: Param[] = [];
      const param = (value: Param): string => `$${params.push(value)}`;
      if (filter.states) conditions.push(`state in (${words(filter.states)})`);
      if (filter.name !== undefined) conditions.push(`name = ${param(filter.name)}`);
      if (filter.realms)
        conditions.push(`realm in ${dialect.list(param(JSON.stringify(filter.realms)), 'text')}`);
      if (filter.before !== undefined) conditions.push(`id < ${param(filter.before)}`);
      const where = conditions.length > 0 ? `where ${conditions.join(' and ')}` : '';
      return session.all(`${select} ${where} order by id desc limit ${param(filter.limit)}`, params);
    },
    datasetsNamed: (name, realms, limit) =>
      session.all(
        `${select} where name = $1 and realm in ${dialect.list('$2', 'text')} order by id desc limit $3`,
        [name, JSON.stringify(realms), limit],
      ),
    datasetTotals: () =>
      session.all(
        'select state, count(*) as count, cast(coalesce(sum(size_bytes), 0) as bigint) as "sizeBytes" from dataset group by state',
      ),
    async growths(signatures, realms) {
      const rows = await inParts(signatures, (part) =>
        session.all<{ signature: string; realm: string; members: string }>(
          `select signature, realm, members from growth
            where signature in ${dialect.list('$1', 'text')} and realm in ${dialect.list('$2', 'text')}`,
          [JSON.stringify(part), JSON.stringify(realms)],
        ),
      );
      return rows.map((row) => ({ ...row, members: JSON.parse(row.members) as GrowthMember[] }));
    },
    parentsOf: (datasetIds) =>
      session.all(
        `select dataset_id as "datasetId", slot, position, parent_id as "parentId" from lineage
          where dataset_id in ${dialect.list('$1', 'int')} order by dataset_id, slot, position`,
        [JSON.stringify(datasetIds)],
      ),
    childrenOf: (datasetIds, limit) =>
      session.all(
        `select dataset_id as "datasetId", slot, position, parent_id as "parentId" from lineage
          where parent_id in ${dialect.list('$1', 'int')} order by parent_id, dataset_id limit $2`,
        [JSON.stringify(datasetIds), limit],
      ),
  };
}
