// The history that decisions are made from: recorded once, followed along or built afresh with the same outcome, and not changed by
// compaction.
import assert from 'node:assert/strict';
import { compactHistory } from '../../src/engine/compact-history.ts';
import { historyMembers, listHistory, refreshHistory } from '../../src/engine/history-api.ts';
import { HistoryFacts } from '../../src/engine/history-facts.ts';
import { demoteDataset } from '../../src/engine/keep-dataset.ts';
import { repeatRun } from '../../src/engine/repeat-run.ts';
import { whyDeleted } from '../../src/engine/why-deleted.ts';
import { openDatabase } from '../../src/store/open-database.ts';
import { eventually, type Step, story, type World } from './budget-world.ts';

const leaseMs = 30_000;

function workflow(n: number, edition = 0): Record<string, Step> {
  return {
    source: { bytes: 500, seconds: 2 },
    [`clean${n % 3}`]: { bytes: 800, seconds: 3, parents: ['source'] },
    [`model${n}`]: { bytes: 300, seconds: 1, parents: [`clean${n % 3}`, 'source'], edition },
    [`report${n}`]: { bytes: 20, parents: [`model${n}`], result: true, edition },
  };
}

async function facts(world: World): Promise<HistoryFacts> {
  await refreshHistory(world.engine.context, leaseMs);
  const history = new HistoryFacts();
  await history.catchUp(world.store.view);
  return history;
}

function columns({ past }: HistoryFacts): unknown {
  const { marks: _, ...table } = past.table.columns();
  return { table, log: past.log.columns() };
}

story('following along and building afresh see the same', async ({ open }) => {
  const world = await open();
  const following = new HistoryFacts();
  for (let n = 0; n < 6; n += 1) {
    await world.run(workflow(n), { user: n % 2 === 0 ? 'ann' : 'bob' });
    if (n === 3) await world.engine.decisionManager.free(900);
    await refreshHistory(world.engine.context, leaseMs);
    await following.catchUp(world.store.view);
  }
  const afresh = await facts(world);
  assert.deepEqual(columns(following), columns(afresh));
  assert.equal(afresh.past.log.runs, 6);
  const source = afresh.numbers.of((await world.dataset('source')).id) as number;
  assert.equal(afresh.past.table.uses[source], 5);
  assert.equal(afresh.userOf(source), 'ann');
});

story('a dataset that is computed again by force is one dataset, and its readers count', async ({ open }) => {
  const world = await open();
  await world.run({ a: { bytes: 100 }, b: { bytes: 100, parents: ['a'], result: true } });
  await world.run({ a: { bytes: 100, forced: true }, b: { bytes: 100, parents: ['a'], result: true } });
  const history = await facts(world);
  assert.equal(history.past.table.count, 2);
  const event = history.past.log.event(1);
  assert.equal(event.kind, 'run');
});

story('runs are listed in pages, as workflows with parents before children', async ({ open }) => {
  const world = await open();
  for (let n = 0; n < 5; n += 1) await world.run(workflow(n), { name: 'flow' });
  await refreshHistory(world.engine.context, leaseMs);
  const { view } = world.store;
  const newest = await listHistory(view, { limit: 2 });
  assert.deepEqual(
    newest.map(({ run }) => run),
    [5, 4],
  );
  const next = await listHistory(view, { before: newest.at(-1)?.seq, limit: 10 });
  assert.deepEqual(
    next.map(({ run }) => run),
    [3, 2, 1],
  );
  assert.equal(next[0]?.computed, 3);
  assert.equal(next[0]?.reused, 1);
  assert.equal(next[0]?.savedMs, 2000);
  const [event] = await view.historyOfRuns([4]);
  const members = await historyMembers(view, event!);
  assert.equal(members.length, 4);
  const seen = new Set<string>();
  for (const member of members) {
    for (const parent of member.parents)
      assert.ok(seen.has(parent), `${member.name} comes after its parents`);
    seen.add(member.dataset);
  }
  assert.deepEqual(
    members.map(({ name, computed }) => [name, computed]),
    [
      ['source', false],
      ['clean0', false],
      ['model3', true],
      ['report3', true],
    ],
  );
});

story(
  'arrivals are counted over any period and resolution, before and after compaction',
  async ({ open }) => {
    const world = await open();
    for (let n = 0; n < 4; n += 1) await world.run(workflow(n), { user: n === 0 ? 'ann' : 'bob' });
    await refreshHistory(world.engine.context, leaseMs);
    const { view } = world.store;
    const always = { from: 0, until: Number.MAX_SAFE_INTEGER, resolutionMs: 3_600_000, limit: 100 };
    const sum = (rows: readonly { count: number }[]) => rows.reduce((total, row) => total + row.count, 0);
    assert.equal(sum(await view.countArrivals({ ...always, of: 'runs' })), 4);
    assert.equal(sum(await view.countArrivals({ ...always, of: 'runs', userName: 'bob' })), 3);
    assert.equal(sum(await view.countArrivals({ ...always, of: 'actions' })), 16);
    assert.equal(sum(await view.countArrivals({ ...always, of: 'actions', name: 'source' })), 4);
    const fine = await view.countArrivals({ ...always, of: 'actions', resolutionMs: 1, limit: 1 });
    const rest = await view.countArrivals({
      ...always,
      of: 'actions',
      resolutionMs: 1,
      after: fine[0]!.start,
    });
    assert.equal(sum(fine) + sum(rest), 16);
    const gaps = await view.arrivalGaps({ ...always, of: 'runs', resolutionMs: 10 });
    assert.equal(gaps.count, 3);
    assert.equal(sum(gaps.histogram), 3);
    assert.ok(gaps.leastMs <= gaps.meanMs && gaps.meanMs <= gaps.mostMs);
    const window = await view.recentActions({ limit: 5 });
    assert.equal(window.length, 5);
    assert.equal((await view.recentActions({ before: window.at(-1)!.id, limit: 100 })).length, 11);
    const costs = await view.actionCosts({ limit: 100 });
    const { samples, meanMs, meanBytes } = costs.find((cost) => cost.name === 'clean0')!;
    assert.deepEqual([samples, meanMs, meanBytes], [1, 3000, 800]);
    await compactHistory(world.engine.context, leaseMs, { endedBefore: Number.MAX_SAFE_INTEGER });
    assert.equal(sum(await view.countArrivals({ ...always, of: 'actions' })), 16);
    assert.equal(
      sum(await view.countArrivals({ ...always, of: 'actions', name: 'source', userName: 'bob' })),
      3,
    );
  },
);

story('compaction drops details and changes no decision', async ({ open }) => {
  const world = await open();
  for (let n = 0; n < 6; n += 1) await world.run(workflow(n));
  await world.engine.decisionManager.free(900);
  await eventually(async () =>
    (await world.store.view.datasetTotals()).every(({ state }) => state !== 'PROCESSING'),
  );
  const live = await world.run(workflow(7));
  const before = await facts(world);
  const gone = (await world.store.view.listDatasets({ states: ['DELETED'], limit: 1 }))[0]!;
  const why = await whyDeleted(world.store.view, gone);
  assert.ok(why.priceTag);

  const compaction = await compactHistory(world.engine.context, leaseMs, {
    endedBefore: Number.MAX_SAFE_INTEGER,
  });
  assert.equal(compaction?.runs, 7);
  const { view } = world.store;
  for (let run = 1; run <= live; run += 1) {
    assert.deepEqual(await view.actionsOfRun(run), []);
    // The newest row of the journal stays, so that its numbers go on.
    assert.ok((await view.journal({ runId: run, limit: 10 })).length <= (run === live ? 1 : 0));
    assert.equal((await view.edgesOf('run', [run])).length, 1);
  }
  assert.equal((await view.runs([1]))[0]?.state, 'SUCCEEDED');
  assert.deepEqual(columns(await facts(world)), columns(before));
  assert.deepEqual((await whyDeleted(view, gone)).priceTag, why.priceTag);
  await assert.rejects(
    repeatRun(world.engine.context, 1, { userName: 'ann', submissionKey: 'again' }),
    /details of run 1 were compacted/,
  );
  const again = await compactHistory(world.engine.context, leaseMs, { endedBefore: Number.MAX_SAFE_INTEGER });
  assert.equal(again?.runs, 0);
  const decision = await world.engine.decisionManager.free(700);
  assert.ok((decision?.freedBytes ?? 0) >= 700);
  await world.run(workflow(1));
});

/** Rows of every table that could grow with what is computed and deleted. */
async function rowCounts(world: World): Promise<Record<string, number>> {
  const database = await openDatabase(world.url);
  try {
    const counts: Record<string, number> = {};
    for (const table of ['dataset', 'lineage', 'edge', 'action', 'attempt', 'journal']) {
      const where =
        table === 'journal' ? " where machine in ('dataset', 'action', 'attempt') and entity_id <> 0" : '';
      const [row] = await database.reader.all<{ count: number }>(
        `select count(*) as count from ${table}${where}`,
      );
      counts[table] = row!.count;
    }
    return counts;
  } finally {
    await database.close();
  }
}

const everything = { endedBefore: Number.MAX_SAFE_INTEGER };

async function letGo(world: World, key: string): Promise<void> {
  await demoteDataset(world.engine.context, await world.dataset(key));
  await world.engine.decisionManager.free(1_000_000);
  const leaving = new Set(['STORED_TO_DELETE', 'PROCESSING', 'DELETING']);
  await eventually(async () =>
    (await world.store.view.datasetTotals()).every(({ state }) => !leaving.has(state)),
  );
}

story(
  'what was deleted long ago and led to nothing is forgotten, all else is remembered',
  async ({ open }) => {
    const world = await open();
    const { context } = world.engine;
    await world.run(workflow(1));
    const branch = {
      source: { bytes: 500, seconds: 2 },
      side: { bytes: 70, parents: ['source'] },
      fancy: { bytes: 60, parents: ['side'] },
      idea: { bytes: 20, parents: ['fancy', 'source'], result: true },
    };
    await world.run(branch);
    await letGo(world, 'idea');
    const before = await facts(world);
    assert.equal(before.past.table.count, 7);
    assert.deepEqual(await world.states('source', 'clean1', 'model1', 'report1', 'side', 'fancy', 'idea'), [
      'DELETED',
      'DELETED',
      'DELETED',
      'LEAF',
      'DELETED',
      'DELETED',
      'DELETED',
    ]);
    assert.equal((await compactHistory(context, leaseMs, { endedBefore: 0 }))?.datasets, 0);
    assert.equal((await compactHistory(context, leaseMs, everything))?.datasets, 3);

    const after = await facts(world);
    assert.equal(after.past.table.count, 4);
    assert.equal(after.past.log.runs, 2);
    for (const key of ['source', 'clean1', 'model1', 'report1']) {
      const { id } = await world.dataset(key);
      const [was, is] = [before.numbers.of(id) as number, after.numbers.of(id) as number];
      for (const column of ['uses', 'sizeBytes', 'computeSeconds', 'lastDemandRun', 'firstRun'] as const) {
        assert.equal(after.past.table[column][is], before.past.table[column][was], `${column} of ${key}`);
      }
    }
    const totals = await world.store.view.datasetTotals();
    assert.equal(totals.find(({ state }) => state === 'DELETED')?.count, 3);
    assert.equal((await whyDeleted(world.store.view, await world.dataset('source'))).timesGivenUp, 1);

    await world.run(branch);
    assert.deepEqual(await world.states('source', 'idea'), ['STORED', 'LEAF']);
  },
);

story(
  'the database does not grow with what is computed, deleted and never wanted again',
  async ({ open }) => {
    const world = await open();
    const sizes: Record<string, number>[] = [];
    for (let n = 0; n < 4; n += 1) {
      for (let k = 0; k < 3; k += 1) {
        const keys = [`a${n}-${k}`, `b${n}-${k}`, `c${n}-${k}`] as const;
        await world.run({
          [keys[0]]: { bytes: 500 },
          [keys[1]]: { bytes: 400, parents: [keys[0]] },
          [keys[2]]: { bytes: 10, parents: [keys[1], keys[0]], result: true },
        });
        await letGo(world, keys[2]);
      }
      assert.equal((await compactHistory(world.engine.context, leaseMs, everything))?.datasets, 9);
      sizes.push(await rowCounts(world));
    }
    for (const { journal, ...others } of sizes) {
      assert.ok(journal! <= 1, `${journal} rows of the journal`);
      assert.deepEqual(others, { dataset: 0, lineage: 0, edge: 0, action: 0, attempt: 0 });
    }
    assert.equal((await facts(world)).past.log.runs, 12);
  },
);
