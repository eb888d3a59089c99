// No hot query scans a table: every statement that the operations below really send is explained on a filled store, on PostgreSQL both
// with the plan for its parameters and with the generic one. Uses ../postgres.ts by way of kinds.ts.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Store } from '../../src/core/ports/store.ts';
import type { Database, Param, Session, TransactionSession } from '../../src/store/database.ts';
import { planOnce } from '../../src/store/postgres.ts';
import { rowSql as postgresRowSql } from '../../src/store/postgres-session.ts';
import { rowSql as sqliteRowSql } from '../../src/store/sqlite-session.ts';
import { createStore } from '../../src/store/store.ts';
import { fillStore } from './fill-store.ts';
import { openAt, postgres, type StoreKind, sqliteFile } from './kinds.ts';
import { epoch, signatureOf } from './rows.ts';

const rows = 20_000;
/** Grow with the number of datasets or actions; the other tables stay small. */
const large = new Set([
  'action',
  'dataset',
  'edge',
  'lineage',
  'journal',
  'run',
  'attempt',
  'growth',
  'file_digest',
  'history_event',
]);
/** Hold only what is to be done now, in the order of doing it. */
const queues = new Set([
  'action_ready',
  'action_due',
  'action_lease',
  'action_owned',
  'dataset_doomed',
  'edge_expiry',
]);

/** Has no rows in the full store, so that the server rightly reads all of them. */
const emptyHere = /on history_event /;

const by = { actor: 'a', at: epoch };
const lease = { owner: 'o', until: epoch + 9, now: epoch + 5, limit: 20 };

const operations: Record<string, (store: Store) => Promise<unknown>> = {
  'look-up by signature': ({ view }) =>
    view.datasetFacts([signatureOf(7), signatureOf(8)], ['here', 'there']),
  'whole datasets by signature': ({ view }) => view.datasetsBySignature([signatureOf(7)], ['here']),
  'look-up by contents': ({ view }) => view.datasetsByPhysical([signatureOf(7)], ['here']),
  'look-up by prefix': ({ view }) => view.datasetsByPrefix('abcd', 5),
  'look-up by place': ({ view }) => view.datasetsByLocation(['d/7']),
  'look-up by name': ({ view }) => view.datasetsNamed('name-7', ['here'], 3),
  'growth look-up': ({ view }) => view.growths([signatureOf(7)], ['here']),
  lineage: async ({ view }) => [await view.parentsOf([7, 8]), await view.childrenOf([7, 8], 50)],
  'ready claim': (store) => store.write((tx) => tx.takeActions(lease)),
  'demands of tags': ({ view }) => view.demandedTags(epoch),
  'take-over': (store) => store.write((tx) => tx.takeOverActions(lease)),
  'take-over that spares other machines': (store) =>
    store.write((tx) => tx.takeOverActions({ ...lease, spare: { handle: 'local:x', since: epoch } })),
  'remote jobs': (store) =>
    store.write(async (tx) => {
      await tx.remoteJobs(['7-1-k']);
      await tx.remoteJobNews(['7-1-k']);
      await tx.remoteJobsOfWorkers([7]);
      await tx.queuedRemoteJobs([''], 20);
      await tx.endRemoteJob('7-1-k', 7, '{}', epoch);
    }),
  'lease extension': (store) => store.write((tx) => tx.extendActions(lease)),
  'leases of the dead': (store) => store.write((tx) => tx.expireActions(['x', 'y'], epoch)),
  'owned actions': ({ view }) => view.ownedActions('o'),
  'next due': ({ view }) => view.nextDue(),
  'moves of actions': (store) =>
    store.write((tx) =>
      tx.move(
        'action',
        'finish',
        [
          { id: 3, fence: 9 },
          { id: 4, fence: 9 },
        ],
        by,
      ),
    ),
  'moves of datasets nobody claims': (store) =>
    store.write((tx) => tx.move('dataset', 'giveUp', [{ id: 3 }, { id: 4 }], { ...by, unclaimed: true })),
  'claims on datasets': ({ view }) => view.edgesOn([7, 8, 9]),
  'edges of holders': ({ view }) => view.edgesOf('action', [7, 8]),
  'edges on growth': ({ view }) => view.edgesOnGrowth([7, 8]),
  'delivery to waiting actions': (store) =>
    store.write(async (tx) => {
      await tx.holdEdges([rows + 7]);
      await tx.unholdEdges([rows + 7]);
      await tx.lockActions([7, 8]);
      await tx.unblocked([7, 8]);
      await tx.releaseEdges('action', [rows + 7]);
      await tx.repointEdges(rows + 7, rows + 8);
      await tx.deleteEdges([{ holder: 'action', holderId: rows + 7, slot: 'in', position: '' }]);
    }),
  'expiry of pins': (store) => store.write((tx) => tx.expireEdges(epoch)),
  'use of datasets': (store) => store.write((tx) => tx.touchDatasets([7, 8], epoch)),
  'locks of datasets': (store) => store.write((tx) => tx.lockDatasets([7, 8])),
  'doomed datasets': (store) => store.write((tx) => tx.takeDoomed(lease)),
  'dataset totals': ({ view }) => view.datasetTotals(),
  'runs without live actions': (store) => store.write((tx) => tx.runsWithoutLiveActions([3, 4])),
  'live runs': ({ view }) => view.liveRuns(),
  'run by submission': ({ view }) => view.runBySubmission('submission-7'),
  'list of runs': ({ view }) => view.listRuns({ limit: 20, before: 100 }),
  'list of runs by state': ({ view }) => view.listRuns({ limit: 20, states: ['FAILED', 'RUNNING'] }),
  'list of runs by user': ({ view }) => view.listRuns({ limit: 20, userName: 'user-3' }),
  'list of datasets': ({ view }) => view.listDatasets({ limit: 20 }),
  'list of datasets by state': ({ view }) =>
    view.listDatasets({ limit: 20, states: ['LEAF', 'STORED'], before: 900 }),
  'list of datasets by name': ({ view }) =>
    view.listDatasets({ limit: 20, name: 'name-7', states: ['STORED'] }),
  'page of runs': ({ view }) => view.pageRuns({ limit: 20, before: 100 }),
  'page of runs of a tenant': ({ view }) =>
    view.pageRuns({ limit: 20, realms: ['there', 'here'], before: 900 }),
  'page of runs of a tenant by state': ({ view }) =>
    view.pageRuns({ limit: 20, realms: ['there'], states: ['FAILED'] }),
  'page of runs by name': ({ view }) => view.pageRuns({ limit: 20, name: 'run-7' }),
  'page of datasets of a tenant': ({ view }) =>
    view.pageDatasets({ limit: 20, realms: ['there'], states: ['LEAF', 'STORED'] }),
  'how a run stands': async ({ view }) => [await view.runStanding(7), await view.runListing(7)],
  'whose rows these are': async ({ view }) => [
    await view.runRealms([7, 8]),
    await view.datasetRealms([7, 8]),
  ],
  'actions of a run': ({ view }) => view.actionsOfRun(7, { after: 3, limit: 20 }),
  'actions of a run by state': ({ view }) => view.actionsOfRun(7, { states: ['FAILED'], limit: 20 }),
  'actions of a run by key': ({ view }) => view.actionsByKey(7, ['step-7', 'step-8']),
  'actions of datasets': ({ view }) => view.actionsOfDatasets([7, 8], 20),
  'counts of a run': ({ view }) => view.countActions(7),
  'history window of actions': ({ view }) => view.endedActions({ from: epoch + 5, limit: 50 }),
  'history window of runs': ({ view }) =>
    view.submittedRuns({ from: epoch + 5, until: epoch + 90, limit: 50 }),
  'journal tail': ({ view }) => view.journal({ after: rows - 100, limit: 50 }),
  'journal of a run': ({ view }) => view.journal({ runId: 7, limit: 50 }),
  'journal of a dataset': ({ view }) => view.journal({ datasetId: 7, limit: 50 }),
  'attempts of actions': async ({ view }) => [
    await view.attempts([7, 8]),
    await view.attemptsByKey(['7-1-k']),
  ],
  'what a decision looks at': async ({ view }) => [
    await view.presence({ after: 7, limit: 50 }),
    await view.parentLinks([7, 8]),
    await view.datasetSketches([7, 8]),
    await view.presentDatasetsById([7, 8]),
  ],
  'what may be forgotten': async (store) => [
    await store.view.forgettableDatasets({ before: 900, unusedSince: epoch, limit: 50 }),
    await store.write((tx) => tx.forgetDatasets([7, 8], epoch)),
  ],
  // Claims that stand are what it is about: there are as many as the index has entries.
  'claims that stand': ({ view }) => view.claims(),
  'file digests': ({ view }) => view.fileDigests(['a', 'b']),
  'recorded history': async ({ view }) => [
    await view.historyEvents({ after: 5, limit: 50 }),
    await view.historyOfRuns([7, 8]),
    await view.savings({ from: epoch, until: epoch + 90 }),
  ],
  'runs to record': async ({ view }) => [
    await view.unrecordedRuns({ after: rows / 5 - 50, limit: 20 }),
    await view.firstUnrecordedRun(rows / 5 - 50),
  ],
  'what a run was': async ({ view }) => [
    await view.runMembers({ id: 7, realm: 'here' }),
    await view.runDatasets(7),
    await view.attemptKeysOfRun(7),
  ],
  'datasets for decisions': async ({ view }) => [
    await view.datasetSketches([7, 8]),
    await view.presentDatasets({ after: 7, limit: 20 }),
  ],
  'recent actions': ({ view }) => view.recentActions({ before: rows - 5, limit: 20 }),
  'results that a user holds': ({ view }) => view.heldResults('user-3'),
  'compaction of a run': async (store) => {
    await store.view.compactableRuns({ endedBefore: epoch, limit: 20 });
    await store.write((tx) => tx.compactRun(9, epoch, 20));
  },
};

interface Sent {
  readonly sql: string;
  readonly params: readonly Param[];
}

/** The database with an ear: every statement that is sent through it is noted. */
function overheard(database: Database, sent: Sent[]): Database {
  const listenTo = <S extends Session>(session: S): S => ({
    ...session,
    all(sql: string, params: readonly Param[] = []) {
      sent.push({ sql, params });
      return session.all(sql, params);
    },
    each(statement, values) {
      const isSqlite = session.dialect.name === 'sqlite';
      const columns = Object.keys(statement.columns).map((_, i) =>
        isSqlite ? (values[0]?.[i] ?? null) : (values.map((row) => row[i] ?? null) as number[]),
      );
      sent.push({ sql: (isSqlite ? sqliteRowSql : postgresRowSql)(statement), params: columns });
      return session.each(statement, values);
    },
  });
  return {
    ...database,
    reader: listenTo(database.reader),
    transaction: (body, options) =>
      database.transaction((session) => body(listenTo<TransactionSession>(session)), options),
  };
}

async function sqliteScans(database: Database, { sql }: Sent, used: Set<string>): Promise<string[]> {
  const plan = await database.reader.all<{ detail: string }>(`explain query plan ${sql}`, []);
  for (const { detail } of plan) used.add(/USING (?:COVERING )?INDEX (\w+)/.exec(detail)?.[1] ?? '');
  return plan
    .map(({ detail }) => detail)
    .filter((detail) => {
      // All edges of all actions: as good as the table.
      if (detail === 'SEARCH edge USING PRIMARY KEY (holder=?)') return true;
      const [, table, , index] = /^SCAN (\w+)( USING (?:COVERING )?INDEX (\w+))?/.exec(detail) ?? [];
      return table !== undefined && large.has(table) && !queues.has(index ?? '') && !pagesByKey(detail, sql);
    });
}

/** A page from the newest on reads the table in the order of its key and stops at the limit. */
function pagesByKey(detail: string, sql: string): boolean {
  return /^SCAN (run|dataset)$/.test(detail) && /order by id desc limit/.test(sql) && !/union all/.test(sql);
}

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Index Cond'?: string;
  readonly Plans?: readonly PlanNode[];
}

async function postgresScans(database: Database, sent: Sent, settings: string): Promise<string[]> {
  const found: string[] = [];
  await database.transaction(
    async (session) => {
      for (const setting of settings.split(';')) await session.all(setting);
      const literal = (param: Param): string =>
        param === null
          ? 'null'
          : Array.isArray(param)
            ? `'{${param.map((one) => (one === null ? 'null' : `"${one}"`)).join(',')}}'`
            : `'${param}'`;
      const values = sent.params.length === 0 ? '' : `(${sent.params.map(literal).join(', ')})`;
      await session.all(`prepare explained as ${sent.sql}`);
      const [row] = await session.all<Record<string, [{ Plan: PlanNode }]>>(
        `explain (format json) execute explained${values}`,
      );
      await session.all('deallocate explained');
      const visit = (node: PlanNode, limited: boolean): void => {
        const table = node['Relation Name'] ?? '';
        const index = node['Index Name'] ?? '';
        const whole = /Index/.test(node['Node Type']) && node['Index Cond'] === undefined;
        const inOrder = queues.has(index) || (index.endsWith('_pkey') && limited);
        if (large.has(table) && (node['Node Type'] === 'Seq Scan' || (whole && !inOrder))) {
          found.push(`${node['Node Type']} on ${table} ${index}`);
        }
        for (const child of node.Plans ?? []) visit(child, limited || node['Node Type'] === 'Limit');
      };
      visit(Object.values(row ?? {})[0]![0].Plan, false);
    },
    { durable: false },
  );
  return found;
}

/** One without rows, and without what the server learns by counting them. */
async function newDatabase(t: TestContext, kind: StoreKind): Promise<Database> {
  if (kind === sqliteFile) {
    const opened = await kind.open(t);
    assert.ok('database' in opened);
    return opened.database;
  }
  const made = await postgres.newUrl!(t);
  assert.ok('url' in made);
  return (await openAt(t, made.url)).database;
}

for (const kind of [sqliteFile, postgres]) {
  test(`${kind.name}: no hot query scans a table`, async (t) => {
    const opened = await kind.open(t);
    if ('skip' in opened) return t.skip(opened.skip);
    const { database } = opened;
    // A plan that PostgreSQL made when the store was new stays in use while it grows, and SQLite never counts rows by itself.
    const fresh = await newDatabase(t, kind);
    await fillStore(database, { datasets: rows, actions: rows });
    const sent: Sent[] = [];
    const store = createStore(overheard(database, sent), '');
    const scans: string[] = [];
    const used = new Set<string>();
    for (const [name, operation] of Object.entries(operations)) {
      sent.length = 0;
      await operation(store);
      const explainable = sent.filter(
        ({ sql }) => /^\s*(select|with|update|delete)/.test(sql) && !/advisory|_seq|pg_locks/.test(sql),
      );
      if (name !== 'dataset totals') assert.ok(explainable.length > 0, `${name} sends something`);
      for (const one of explainable) {
        const found =
          kind === sqliteFile
            ? [...(await sqliteScans(database, one, used)), ...(await sqliteScans(fresh, one, new Set()))]
            : [
                ...(await postgresScans(database, one, 'set local plan_cache_mode = force_custom_plan')),
                ...(await postgresScans(database, one, 'set local plan_cache_mode = force_generic_plan')),
              ].filter((scan) => !emptyHere.test(scan));
        if (kind === postgres)
          found.push(...(await postgresScans(fresh, one, planOnce.replaceAll('set ', 'set local '))));
        for (const scan of found)
          scans.push(`${name}: ${scan}\n    ${one.sql.replace(/\s+/g, ' ').slice(0, 400)}`);
      }
    }
    assert.deepEqual(scans, []);
    if (kind === sqliteFile) assert.deepEqual(await needless(database, used), []);
  });
}

/** Indexes of large tables that no operation uses and that guard nothing: each would make every new row dearer. */
async function needless(database: Database, used: ReadonlySet<string>): Promise<string[]> {
  const indexes = await database.reader.all<{ name: string; of: string; sql: string }>(
    'select name, tbl_name as "of", sql from sqlite_master where type = \'index\' and sql is not null',
  );
  return indexes
    .filter((index) => large.has(index.of) && !used.has(index.name) && !/^create unique/i.test(index.sql))
    .map((index) => index.name);
}
