// Reading datasets: by identity, by place, by name, and along their lineage.
import type { DatasetFactRow, DatasetFilter, GrowthMember, StoreView } from '../../core/ports/store.ts';
import type { Param, Session } from '../database.ts';
import { oneOf } from '../one-of.ts';
import { shorten, shortSignature } from '../short-signature.ts';
import { datasetTable } from '../tables.ts';
import { byState } from './by-state.ts';
import { readDatasetTotals, readRealmTotals } from './dataset-totals.ts';
import { inParts } from './in-parts.ts';

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
  size_bytes as "sizeBytes", managed, is_current as "isCurrent", uses`;

/**
 * Signatures are compared in full, and realms, only here: a second list would cost the database more than the rows that it spares, and
 * might lead it to the index of realms. Without realms, rows of all of them.
 */
async function ofSignatures<
  C extends 'signature' | 'physical',
  T extends Readonly<Record<C, string | null>> & { readonly id: number; readonly realm: string },
>(
  session: Session,
  columns: string,
  column: C,
  wanted: readonly string[],
  realms?: readonly string[],
): Promise<T[]> {
  const rows = await inParts(wanted.map(shorten), (part) =>
    session.all<T>(
      session.dialect.eachOf(
        columns,
        'dataset',
        shortSignature(column),
        'text',
        column === 'signature' ? 'is_current = 1' : 'physical is not null',
      ),
      [part],
    ),
  );
  // Large new plans find nothing, and a set of their signatures would cost more than the look.
  if (rows.length === 0) return rows;
  const whole = new Set(wanted);
  rows.sort((a, b) => a.id - b.id);
  return rows.filter(
    (row, i) =>
      row.id !== rows[i - 1]?.id && whole.has(row[column] ?? '') && (realms?.includes(row.realm) ?? true),
  );
}

/** `datasetFacts` of all realms. */
export function readDatasetFacts(session: Session, signatures: readonly string[]): Promise<DatasetFactRow[]> {
  return ofSignatures(session, factColumns, 'signature', signatures);
}

export function readDatasets(session: Session): DatasetReads {
  const { among } = session.dialect;
  const select = `select ${datasetTable.select} from dataset`;
  const short = shortSignature('signature');
  return {
    datasets: (ids) =>
      inParts(ids, (part) => session.all(`${select} where ${among('id', '$1', 'int')} order by id`, [part])),
    datasetsBySignature: (signatures, realms) =>
      ofSignatures(session, datasetTable.select, 'signature', signatures, realms),
    datasetFacts: (signatures, realms) => ofSignatures(session, factColumns, 'signature', signatures, realms),
    datasetFactsById: (ids) =>
      inParts(ids, (part) =>
        session.all(`select ${factColumns} from dataset where ${among('id', '$1', 'int')} order by id`, [
          part,
        ]),
      ),
    datasetsByPhysical: (physicals, realms) =>
      ofSignatures(session, datasetTable.select, 'physical', physicals, realms),
    datasetsByPrefix: (prefix, limit, realms) =>
      session.all(
        `${select} where ${short} >= $1 and ${short} < $2 and signature >= $3 and signature < $4 and is_current = 1
          ${realms ? `and ${among('realm', '$6', 'text')}` : ''} order by ${short}, signature limit $5`,
        [shorten(prefix), `${shorten(prefix)}g`, prefix, `${prefix}g`, limit, ...(realms ? [realms] : [])],
      ),
    datasetsByLocation: (locations) =>
      inParts(locations, (part) => session.all(`${select} where ${among('location', '$1', 'text')}`, [part])),
    listDatasets(filter: DatasetFilter) {
      // Not `= 1`, which would invite the index on signatures of current datasets.
      const conditions = ['is_current <> 0'];
      const params: Param[] = [];
      const param = (value: Param): string => `$${params.push(value)}`;
      if (filter.name !== undefined) conditions.push(`name = ${param(filter.name)}`);
      if (filter.realms) conditions.push(among('realm', param(filter.realms), 'text'));
      if (filter.before !== undefined) conditions.push(`id < ${param(filter.before)}`);
      const limit = param(filter.limit);
      if (filter.states && filter.name === undefined) {
        const { states } = filter;
        return session.all(
          byState({
            select: datasetTable.select,
            table: 'dataset',
            states,
            conditions,
            order: 'desc',
            limit,
          }),
          params,
        );
      }
      if (filter.states) conditions.push(oneOf('state', filter.states));
      return session.all(
        `${select} where ${conditions.join(' and ')} order by id desc limit ${limit}`,
        params,
      );
    },
    datasetsNamed: (name, realms, limit) =>
      session.all(`${select} where name = $1 and ${among('realm', '$2', 'text')} order by id desc limit $3`, [
        name,
        realms,
        limit,
      ]),
    datasetTotals: (realms) => (realms ? readRealmTotals(session, realms) : readDatasetTotals(session)),
    async growths(signatures, realms) {
      const rows = await inParts(signatures, (part) =>
        session.all<{ signature: string; realm: string; members: string }>(
          `select signature, realm, members from growth
            where ${among('signature', '$1', 'text')} and ${among('realm', '$2', 'text')}`,
          [part, realms],
        ),
      );
      return rows.map((row) => ({ ...row, members: JSON.parse(row.members) as GrowthMember[] }));
    },
    parentsOf: (datasetIds) =>
      session.all(
        `select dataset_id as "datasetId", slot, position, parent_id as "parentId" from lineage
          where ${among('dataset_id', '$1', 'int')} order by dataset_id, slot, position`,
        [datasetIds],
      ),
    childrenOf: (datasetIds, limit) =>
      session.all(
        `select dataset_id as "datasetId", slot, position, parent_id as "parentId" from lineage
          where ${among('parent_id', '$1', 'int')} order by parent_id, dataset_id limit $2`,
        [datasetIds, limit],
      ),
  };
}
