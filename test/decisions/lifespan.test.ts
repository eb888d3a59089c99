// Manual lifespan beside the automatic one: rules, quotas, pins, demotion, admission.
import assert from 'node:assert/strict';
import { demoteDataset, pinDataset, unpinDataset } from '../../src/engine/keep-dataset.ts';
import { addRule, removeRule } from '../../src/engine/keep-rules.ts';
import { holdQuotas } from '../../src/engine/leaf-quotas.ts';
import { whyDeleted } from '../../src/engine/why-deleted.ts';
import { eventually, story } from './budget-world.ts';

const anything = {
  name: null,
  userName: null,
  atLeastBytes: null,
  atMostBytes: null,
  quotaBytes: null,
  createdBy: 'ann',
};

story('a rule keeps by name, user and size what the budget would give up', async ({ open }) => {
  const world = await open();
  const { context } = world.engine;
  await world.run({ align1: { bytes: 1000 }, end1: { bytes: 1, parents: ['align1'], result: true } });
  await world.run(
    { sort: { bytes: 1000 }, end2: { bytes: 1, parents: ['sort'], result: true } },
    { user: 'bob' },
  );
  await world.run({ tiny: { bytes: 10 }, end3: { bytes: 1, parents: ['tiny'], result: true } });
  await world.run({ plain: { bytes: 1000 }, end4: { bytes: 1, parents: ['plain'], result: true } });
  await addRule(context, { ...anything, effect: 'keep', name: 'align*' });
  await addRule(context, { ...anything, effect: 'keep', userName: 'bob' });
  const small = await addRule(context, { ...anything, effect: 'keep', atMostBytes: 100 });
  const decision = await world.engine.decisionManager.free(1_000_000);
  assert.deepEqual(
    decision?.givenUp.map(({ row }) => row.name),
    ['plain'],
  );
  await removeRule(context, small.id);
  const next = await world.engine.decisionManager.free(1_000_000);
  assert.deepEqual(
    next?.givenUp.map(({ row }) => row.name),
    ['tiny'],
  );
  await assert.rejects(removeRule(context, small.id), /there is no rule/);
  await assert.rejects(addRule(context, { ...anything, effect: 'keep' }), /would match every dataset/);
  await assert.rejects(addRule(context, { ...anything, effect: 'leaf-quota' }), /needs a size/);
});

story('what is never to be kept goes without need, and says which rule', async ({ open }) => {
  const world = await open();
  await addRule(world.engine.context, { ...anything, effect: 'never-keep', atLeastBytes: 900 });
  await world.run({
    large: { bytes: 1000 },
    small: { bytes: 10, parents: ['large'] },
    end: { bytes: 1, parents: ['small'], result: true },
  });
  const decision = await world.engine.decisionManager.free(0);
  assert.deepEqual(
    decision?.givenUp.map(({ row, by }) => [row.name, by]),
    [['large', 'rule 1']],
  );
  await world.engine.datasetManager.sweep();
  const report = await whyDeleted(world.store.view, await world.dataset('large'));
  assert.equal(report.reason, 'given up by rule 1: the rule says: never keep datasets of at least 900 B');
});

story('a user who holds more results than the quota loses hold of the oldest', async ({ open }) => {
  const world = await open();
  const { context } = world.engine;
  for (const n of [1, 2, 3]) await world.run({ [`mine${n}`]: { bytes: 1000, result: true } });
  await world.run({ shared: { bytes: 500, result: true } }, { user: 'bob' });
  await world.run({ shared: { bytes: 500, result: true } });
  await addRule(context, { ...anything, effect: 'leaf-quota', quotaBytes: 2600 });
  await holdQuotas(context, await world.store.view.keepRules());
  assert.deepEqual(await world.states('mine1', 'mine2', 'mine3', 'shared'), [
    'STORED',
    'LEAF',
    'LEAF',
    'LEAF',
  ]);
  await addRule(context, { ...anything, effect: 'leaf-quota', userName: 'ann', quotaBytes: 0 });
  await holdQuotas(context, await world.store.view.keepRules());
  assert.deepEqual(await world.states('mine2', 'mine3', 'shared'), ['STORED', 'STORED', 'LEAF']);
});

story('a result that its owner lets go of is for the budget to decide about', async ({ open }) => {
  const world = await open();
  await world.run({ result: { bytes: 1000, result: true } });
  assert.equal((await world.engine.decisionManager.free(1000))?.freedBytes, 0);
  await demoteDataset(world.engine.context, await world.dataset('result'));
  assert.deepEqual(await world.states('result'), ['STORED']);
  assert.equal((await world.engine.decisionManager.free(1000))?.freedBytes, 1000);
  await assert.rejects(demoteDataset(world.engine.context, await world.dataset('result')), /is no result/);
});

story('a pin keeps until it runs out or is taken off', async ({ open }) => {
  const world = await open();
  const { context, decisionManager, datasetManager } = world.engine;
  await world.run({
    a: { bytes: 1000 },
    b: { bytes: 900 },
    end: { bytes: 1, parents: ['a', 'b'], result: true },
  });
  const until = context.clock.now() + 1500;
  await pinDataset(context, await world.dataset('a'), until);
  await pinDataset(context, await world.dataset('b'), null);
  assert.equal((await decisionManager.free(1000))?.freedBytes, 0);
  await eventually(async () => context.clock.now() > until);
  await datasetManager.sweep();
  assert.equal((await decisionManager.free(1000))?.freedBytes, 1000);
  assert.notDeepEqual(await world.states('a'), ['STORED']);
  assert.equal((await decisionManager.free(900))?.freedBytes, 0);
  await unpinDataset(context, await world.dataset('b'));
  assert.equal((await decisionManager.free(900))?.freedBytes, 900);
});

story('a dataset that is expected to be worth less than what is kept is not admitted', async ({ open }) => {
  const budget = { budget: { bytes: 10_000 }, highWatermark: 0.9, lowWatermark: 0.8 };
  const world = await open({ budget, holds: new Set(['cheap2', 'gate']), cores: 4 });
  // Known costs: cheap ones are large and quick, dear ones small and slow, and dear ones are wanted again and again.
  await world.run({
    cheap1: { bytes: 4000, seconds: 1, name: 'cheap' },
    e1: { bytes: 1, parents: ['cheap1'], result: true },
  });
  for (let n = 0; n < 6; n += 1) {
    await world.run({
      dear: { bytes: 800, seconds: 1000 },
      dearer: { bytes: 800, seconds: 2000, parents: ['dear'] },
      [`e2-${n}`]: { bytes: 1, parents: ['dear', 'dearer'], result: true },
    });
  }
  const run = await world.submit({
    cheap2: { bytes: 4000, seconds: 1, name: 'cheap' },
    gate: { bytes: 4500, seconds: 1 },
    after: { bytes: 1, parents: ['cheap2', 'gate'], result: true },
  });
  await eventually(async () => world.held.has('cheap2') && world.held.has('gate'));
  world.held.get('gate')?.();
  await eventually(
    async () => (await world.store.view.listDatasets({ name: 'gate', limit: 1 }))[0]?.state === 'STORED',
  );
  await eventually(async () => {
    const rows = await world.store.view.listDatasets({ name: 'cheap', limit: 2 });
    return rows[0]?.state === 'TO_DELETE';
  });
  world.held.get('cheap2')?.();
  assert.equal((await world.ended(run)).state, 'SUCCEEDED');
  await eventually(
    async () => (await world.store.view.listDatasets({ name: 'cheap', limit: 2 }))[0]?.state === 'DELETED',
  );
  const [row] = await world.store.view.listDatasets({ name: 'cheap', limit: 1 });
  assert.match(row?.deletedReason ?? '', /is expected to be worth less than what is kept/);
  assert.deepEqual(await world.states('dear', 'dearer'), ['STORED', 'STORED']);
});
