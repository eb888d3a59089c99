// The contract of the decision manager, as stories on both databases.
import assert from 'node:assert/strict';
import { deleteDataset, pinDataset } from '../../src/engine/keep-dataset.ts';
import type { BudgetOptions } from '../../src/engine/measure-space.ts';
import { restoreDataset } from '../../src/engine/restore-dataset.ts';
import { openStore } from '../../src/store/store.ts';
import { eventually, story } from './budget-world.ts';

const budget = (bytes: number, part: Partial<BudgetOptions> = {}): BudgetOptions => ({
  budget: { bytes },
  highWatermark: 0.9,
  lowWatermark: 0.8,
  ...part,
});

const chain = (n: number, edition = 0) => ({
  [`first${n}`]: { bytes: 1000, seconds: 5, edition },
  [`end${n}`]: { bytes: 10, parents: [`first${n}`], result: true, edition },
});

story('past the high mark datasets go until the low mark is reached, and results stay', async ({ open }) => {
  const world = await open({ budget: budget(5000) });
  for (let n = 0; n < 8; n += 1) await world.run(chain(n));
  await eventually(async () => (await world.usedBytes()) <= 4500);
  const used = await world.usedBytes();
  assert.ok(used > 3000, `${used} bytes: no more than needed went`);
  const ends = await world.states(...Array.from({ length: 8 }, (_, n) => `end${n}`));
  assert.deepEqual(ends, Array(8).fill('LEAF'));
  assert.deepEqual(world.problems, []);
});

story('what a run wants again is computed again, and both sides of the ledger are kept', async ({ open }) => {
  const world = await open({ budget: budget(3000) });
  for (let n = 0; n < 6; n += 1) await world.run(chain(n));
  await eventually(async () => (await world.usedBytes()) <= 2700);
  const gone = (await Promise.all(Array.from({ length: 6 }, (_, n) => world.dataset(`first${n}`)))).find(
    (row) => row.state === 'DELETED',
  );
  assert.ok(gone);
  assert.match(
    gone.deletedReason ?? '',
    /^given up by hamr: it is expected to save the least compute time per byte: frees 1000 bytes/,
  );
  const journal = await world.store.view.journal({ datasetId: gone.id, limit: 100 });
  const tag = JSON.parse(journal.find((row) => row.event === 'giveUp')?.detail ?? '{}');
  assert.equal(tag.bytes, 1000);
  assert.equal(tag.recomputeSeconds, 5);
  assert.equal(tag.by, 'hamr');
  const key = gone.name;
  await world.run({ [key]: { bytes: 1000, seconds: 5 }, other: { bytes: 10, parents: [key], result: true } });
  await world.engine.decisionManager.free(0);
  const [row] = await world.store.view.savings({ from: 0, until: Number.MAX_SAFE_INTEGER });
  assert.equal(row?.runs, 7);
  assert.equal(row?.paidMs, 5000);
});

story(
  'a deleted dataset is restored from the nearest stored ancestors, with the same bytes',
  async ({ open }) => {
    const world = await open();
    const { context } = world.engine;
    await world.run({
      a: { bytes: 100 },
      b: { bytes: 200, parents: ['a'] },
      c: { bytes: 300, parents: ['b'] },
      end: { bytes: 1, parents: ['c'], result: true },
    });
    const before = await world.dataset('c');
    for (const key of ['b', 'c']) await deleteDataset(context, await world.dataset(key));
    await eventually(async () => (await world.states('b', 'c')).every((state) => state === 'DELETED'));
    const { runId } = await restoreDataset(context, await world.dataset('c'), {
      userName: 'ann',
      submissionKey: 'restore',
    });
    assert.equal((await world.ended(runId)).state, 'SUCCEEDED');
    const actions = await world.store.view.actionsOfRun(runId);
    assert.deepEqual(actions.map(({ name, state }) => [name, state]).sort(), [
      ['a', 'REUSED'],
      ['b', 'FINISHED'],
      ['c', 'FINISHED'],
    ]);
    const { id, digest, nondeterministic } = await world.dataset('c');
    assert.deepEqual([id, digest, nondeterministic], [before.id, before.digest, 0]);
  },
);

story('pinned, kept and claimed datasets are never given up', async ({ open }) => {
  const world = await open({ budget: budget(100_000), holds: new Set(['slow']) });
  await world.run({ pinned: { bytes: 1000 }, end: { bytes: 1, parents: ['pinned'], result: true } });
  await world.run({
    always: { bytes: 1000, keep: 'always' },
    end2: { bytes: 1, parents: ['always'], result: true },
  });
  await pinDataset(world.engine.context, await world.dataset('pinned'), null);
  const live = await world.submit({
    input: { bytes: 1000 },
    slow: { bytes: 1, parents: ['input'], result: true },
  });
  await eventually(async () => world.held.has('slow'));
  const decision = await world.engine.decisionManager.free(1_000_000);
  assert.equal(decision?.freedBytes, 0);
  assert.ok((decision?.shortfallBytes ?? 0) > 0);
  assert.deepEqual(await world.states('pinned', 'always', 'input'), ['STORED', 'STORED', 'STORED']);
  world.held.get('slow')?.();
  assert.equal((await world.ended(live)).state, 'SUCCEEDED');
  const after = await world.engine.decisionManager.free(1_000_000);
  assert.deepEqual(
    after?.givenUp.map(({ row }) => row.name),
    ['input'],
  );
});

story('a run that needs more at once than the budget is told once, and goes on', async ({ open }) => {
  const world = await open({ budget: budget(2500), cores: 1 });
  const run = await world.run({
    a: { bytes: 1000 },
    b: { bytes: 1000 },
    c: { bytes: 1000 },
    d: { bytes: 1000 },
    end: { bytes: 10, parents: ['a', 'b', 'c', 'd'], result: true },
  });
  const notes = await world.store.view.runNotes([run]);
  assert.equal(notes.length, 1);
  assert.match(notes[0]!.text, /more than the budget of 2\.5 kB; the run goes on/);
  await eventually(async () => (await world.usedBytes()) <= 2250);
  const journal = await world.store.view.journal({ runId: run, limit: 1000 });
  assert.equal(journal.filter((row) => row.event === 'overBudget').length, 1);
});

story('a run is told as well when what it needs at once is to go afterwards', async ({ open }) => {
  const world = await open({ budget: budget(1500), cores: 1 });
  const run = await world.run({
    a: { bytes: 1000, keep: 'never' },
    b: { bytes: 1000, keep: 'never', parents: ['a'] },
    end: { bytes: 10, parents: ['a', 'b'], result: true },
  });
  const notes = await world.store.view.runNotes([run]);
  assert.equal(notes.length, 1);
  assert.match(notes[0]!.text, /now take 2 kB, more than the budget of 1\.5 kB; the run goes on/);
  await eventually(async () => (await world.usedBytes()) === 10);
});

story('the budget holds while a run is under way: what its consumers have read may go', async ({ open }) => {
  const world = await open({ budget: budget(3000), cores: 1 });
  const steps: Record<string, { bytes: number; parents?: string[]; result?: boolean }> = {
    s0: { bytes: 1000 },
  };
  for (let n = 1; n < 20; n += 1) steps[`s${n}`] = { bytes: 1000, parents: [`s${n - 1}`], result: n === 19 };
  let most = 0;
  const unlisten = world.store.listen(() => {
    void world.usedBytes().then((used) => {
      most = Math.max(most, used);
    });
  });
  const run = await world.run(steps);
  unlisten();
  assert.ok(most <= 3000 + 2000, `${most} bytes at most`);
  assert.deepEqual(await world.store.view.runNotes([run]), []);
});

story('keep: never goes as soon as nothing claims it', async ({ open }) => {
  const world = await open({ budget: budget(100_000) });
  await world.run({
    never: { bytes: 1000, keep: 'never' },
    end: { bytes: 1, parents: ['never'], result: true },
  });
  await eventually(async () => (await world.states('never'))[0] === 'DELETED');
});

story('keep: never goes while its run goes on, without a budget too', async ({ open }) => {
  const world = await open({ holds: new Set(['slow']) });
  const run = await world.submit({
    never: { bytes: 1000, keep: 'never' },
    reader: { bytes: 10, parents: ['never'] },
    slow: { bytes: 1, parents: ['reader'], result: true },
  });
  await eventually(async () => (await world.states('never'))[0] === 'DELETED');
  await eventually(async () => world.held.has('slow'));
  world.held.get('slow')!();
  assert.equal((await world.ended(run)).state, 'SUCCEEDED');
});

story('a process that leaves removes what nothing claims any more', async ({ open }) => {
  const world = await open();
  await world.run({
    never: { bytes: 1000, keep: 'never' },
    end: { bytes: 1, parents: ['never'], result: true },
  });
  await world.close();
  const store = await openStore(world.url, { durability: 'normal' });
  const rows = await store.view.listDatasets({ limit: 10 });
  await store.close();
  assert.deepEqual(rows.map(({ name, state }) => `${name} ${state}`).sort(), ['end LEAF', 'never DELETED']);
});

story('two managers at once decide once', async ({ open }) => {
  const one = await open({ budget: budget(1_000_000) });
  for (let n = 0; n < 10; n += 1) await one.run(chain(n));
  const two = await open({ budget: budget(1_000_000) });
  const decisions = await Promise.all([
    one.engine.decisionManager.free(3000),
    two.engine.decisionManager.free(3000),
    one.engine.decisionManager.free(0),
  ]);
  const freed = decisions.reduce((sum, decision) => sum + (decision?.freedBytes ?? 0), 0);
  assert.ok(freed === 3000 || freed === 6000, `${freed}`);
  const events = await one.store.view.historyEvents({ kind: 'given-up', limit: 100 });
  assert.equal(events.length, freed / 3000);
  const runs = await one.store.view.historyEvents({ kind: 'run', limit: 100 });
  assert.equal(runs.length, 10);
  await two.close();
});
