// Pages of runs and datasets for lists, and the realms of single rows. A page is merged from short lists, one per realm and state, each of
// which an index gives in order: few rows of one tenant are found at once however many there are of others.

import { datasetMachine } from '../../core/machines/dataset.ts';
import { statesOf } from '../../core/machines/machine.ts';
import { runMachine } from '../../core/machines/run.ts';
import type {
  DatasetListing,
  DatasetPageFilter,
  ListingPage,
  ListingView,
  RunListing,
  RunPageFilter,
  RunStanding,
  SpaceSample,
} from '../../core/ports/listing.ts';
import type { Dialect, Param, Session } from '../database.ts';
import { gathered } from '../gathered.ts';
import { oneOf } from '../one-of.ts';
import { snake } from '../tables.ts';
import { idsByState } from './by-state.ts';
import { inParts } from './in-parts.ts';

/** A search looks at this many rows at most; the cursor goes on from there. */
const searchedRows = 20_000;
/** SQLite allows 500 parts of a union. */
const mostLists = 200;

const runFields: readonly (keyof RunListing)[] = [
  'id',
  'state',
  'name',
  'language',
  'userName',
  'realm',
  'priority',
  'retryOf',
  'submittedAt',
  'endedAt',
];
const datasetFields: readonly (keyof DatasetListing)[] = [
  'id',
  'state',
  'signature',
  'realm',
  'name',
  'sizeBytes',
  'fileCount',
  'computeMs',
  'uses',
  'createdAt',
  'storedAt',
  'usedAt',
  'deletedAt',
  'deletedReason',
];

const columns = (fields: readonly string[]): string =>
  fields.map((field) => `${snake(field)} as "${field}"`).join(', ');
const runColumns = columns(runFields);
const datasetColumns = columns(datasetFields);

export function listPages(session: Session): ListingView {
  const { dialect } = session;
  return {
    pageRuns: (filter) =>
      readPage<RunListing>(session, {
        table: 'run',
        columns: runColumns,
        filter,
        conditions: [
          ['user_name =', filter.userName],
          ['submitted_at >=', filter.from],
          ['submitted_at <', filter.until],
        ],
        allStates: statesOf(runMachine),
        narrow: filter.userName !== undefined || filter.name !== undefined,
      }),
    pageDatasets: (filter) =>
      readPage<DatasetListing>(session, {
        table: 'dataset',
        columns: datasetColumns,
        filter,
        // Written out, because that is how the index knows its rows.
        conditions: [['is_current = 1']],
        allStates: statesOf(datasetMachine),
        narrow: filter.name !== undefined,
      }),
    async runListing(id) {
      const rows = await session.all<RunListing>(`select ${runColumns} from run where id = $1`, [id]);
      return rows[0];
    },
    runStanding: gathered(async (ids) => {
      const rows = await session.all<Omit<RunStanding, 'actions'> & { of: string | null; count: number }>(
        dialect.eachOf(
          'run.id, run.state, run.realm, run.ended_at as "endedAt", action.state as "of", count(action.id) as count',
          'run left join action on action.run_id = run.id',
          'run.id',
          'int',
          'true group by run.id, run.state, run.realm, run.ended_at, action.state',
        ),
        [ids],
      );
      const runs = new Map<number, RunStanding & { actions: Record<string, number> }>();
      for (const { id, state, realm, endedAt, of, count } of rows) {
        let run = runs.get(id);
        if (!run) runs.set(id, (run = { id, state, realm, endedAt, actions: {} }));
        if (of !== null) run.actions[of] = count;
      }
      return runs;
    }),
    async runRealms(ids) {
      const rows = await inParts(ids, (part) =>
        session.all<{ id: number; realm: string }>(
          `select id, realm from run where ${dialect.among('id', '$1', 'int')}`,
          [part],
        ),
      );
      return new Map(rows.map((row) => [row.id, row.realm]));
    },
    async datasetRealms(ids) {
      const rows = await inParts(ids, (part) =>
        session.all<{ id: number; realm: string; signature: string }>(
          `select id, realm, signature from dataset where ${dialect.among('id', '$1', 'int')}`,
          [part],
        ),
      );
      return new Map(rows.map(({ id, realm, signature }) => [id, { realm, signature }]));
    },
    spaceSamples: ({ from, until, points }) =>
      session.all<SpaceSample>(
        `select at, used_bytes as "usedBytes", result_bytes as "resultBytes", budget_bytes as "budgetBytes"
          from space_sample where at in (
            select max(at) from space_sample where at >= $1 and at < $2
              group by (at - $1) / cast($3 as bigint))
          order by at`,
        [from, until, Math.max(1, Math.ceil((until - from) / points))],
      ),
    async lastJournalId() {
      const settled = await session.settledId('journal');
      const rows = await session.all<{ id: number }>(
        'select coalesce(max(id), 0) as id from journal where id <= $1',
        [settled],
      );
      return rows[0]?.id ?? 0;
    },
  };
}

interface PageRequest {
  readonly table: 'run' | 'dataset';
  readonly columns: string;
  readonly filter: RunPageFilter | DatasetPageFilter;
  /** Conditions, and comparisons that count when they have a value. */
  readonly conditions: readonly (readonly [string] | readonly [string, string | number | undefined])[];
  readonly allStates: readonly string[];
  /** Another index is better than that of realms and states. */
  readonly narrow: boolean;
}

async function readPage<T extends { readonly id: number }>(
  session: Session,
  request: PageRequest,
): Promise<ListingPage<T>> {
  const { search, limit } = request.filter;
  const bound = search === undefined ? limit : searchedRows;
  const params: Param[] = [];
  const candidates = candidateIds(request, bound, params, session.dialect);
  const known = params.length;
  const matching =
    search === undefined ? '' : `and ${session.dialect.contains('name', `$${params.push(search)}`)}`;
  const rows = await session.all<T>(
    `select ${request.columns} from ${request.table} where id in (${candidates}) ${matching}
      order by id desc limit $${params.push(limit)}`,
    params,
  );
  if (rows.length === limit) return { rows, next: rows.at(-1)?.id };
  if (search === undefined) return { rows, next: undefined };
  const [seen] = await session.all<{ count: number; last: number | null }>(
    `select count(*) as count, min(id) as last from (${candidates}) as seen`,
    params.slice(0, known),
  );
  return { rows, next: seen && seen.count >= searchedRows ? (seen.last ?? undefined) : undefined };
}

/** The newest ids that fit everything but a search. */
function candidateIds(request: PageRequest, bound: number, params: Param[], { among }: Dialect): string {
  const { table, filter, allStates, narrow } = request;
  const param = (value: Param): string => `$${params.push(value)}`;
  const compared: typeof request.conditions = [
    ...request.conditions,
    ['name =', filter.name],
    ['id <', filter.before],
  ];
  const conditions = compared.flatMap((one) => {
    const [text, value] = one;
    if (one.length === 1) return [text];
    return value === undefined ? [] : [`${text} ${param(value)}`];
  });
  const states: readonly string[] = filter.states ?? allStates;
  const { realms } = filter;
  const order = 'desc';
  const lists = states.length * (realms?.length ?? 1);
  const everything = filter.states === undefined && realms === undefined;
  if (!narrow && !everything && lists > 0 && lists <= mostLists) {
    const either = realms?.map((realm) => `realm = ${param(realm)}`) ?? [];
    const limit = String(bound);
    return `${idsByState({ table, states, conditions, either, order, limit })} order by id desc limit ${bound}`;
  }
  if (realms) conditions.push(among('realm', param(realms), 'text'));
  if (filter.states) conditions.push(filter.states.length > 0 ? oneOf('state', filter.states) : '1 = 0');
  const where = conditions.length > 0 ? `where ${conditions.join(' and ')}` : '';
  return `select id from ${table} ${where} order by id desc limit ${bound}`;
}
