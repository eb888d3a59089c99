// Questions about decisions that were not made: what would go now, and what another budget would have cost.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { createSiteWhatIf } from '../../src/composition/site-what-if.ts';
import { DecisionHistory } from '../../src/core/eviction/decision-history.ts';
import { hamr } from '../../src/decisions/hamr.ts';
import { generateHistory } from '../../src/lab/history-source.ts';
import { WhatIf } from '../../src/lab/what-if.ts';
import { story } from './budget-world.ts';

const watermarks = { highWatermark: 0.9, lowWatermark: 0.8 };

story('what is foreseen is what then goes, and looking changes nothing', async ({ open }) => {
  const world = await open();
  await world.run({
    raw: { bytes: 4000, seconds: 50 },
    table: { bytes: 100, parents: ['raw'], result: true },
  });
  await world.run({
    raw: { bytes: 4000, seconds: 50 },
    mid: { bytes: 3000, seconds: 2, parents: ['raw'] },
    plot: { bytes: 100, parents: ['mid'], result: true },
  });
  const { decisionManager } = world.engine;
  const foreseen = await decisionManager.foresee(2000);
  assert.deepEqual(await world.states('raw', 'mid'), ['STORED', 'STORED']);
  assert.deepEqual((await decisionManager.foresee(2000)).givenUp, foreseen.givenUp);
  const done = await decisionManager.free(2000);
  assert.deepEqual(done?.givenUp, foreseen.givenUp);
  assert.deepEqual(
    foreseen.givenUp.map(({ row }) => row.name),
    ['mid'],
  );
});

story('the history of the site is replayed under any budget, and follows along', async ({ open }) => {
  const world = await open();
  const whatIf = createSiteWhatIf(world.engine.decisionManager, {
    algorithm: 'hamr',
    folder: world.folder,
    ...watermarks,
  });
  try {
    assert.equal(await whatIf.ask({ budgetBytes: 1000 }), undefined);
    for (let edition = 0; edition < 3; edition += 1) {
      await world.run({
        raw: { bytes: 4000, seconds: 50 },
        [`plot-${edition}`]: { bytes: 100, seconds: 1, parents: ['raw'], result: true },
      });
    }
    const plenty = await whatIf.ask({ budgetBytes: 10_000 });
    assert.deepEqual([plenty?.runs, plenty?.datasets, plenty?.footprintBytes], [3, 4, 4000]);
    assert.equal(plenty?.computeSeconds, 53);
    assert.equal(plenty?.unlimitedSeconds, 53);
    const none = await whatIf.ask({ budgetBytes: 0 });
    assert.deepEqual([none?.computeSeconds, none?.bareSeconds], [153, 153]);
    await world.run({
      raw: { bytes: 4000, seconds: 50 },
      last: { bytes: 100, seconds: 1, parents: ['raw'], result: true },
    });
    assert.equal((await whatIf.ask({ budgetBytes: 0, algorithm: 'lru' }))?.computeSeconds, 204);
  } finally {
    await whatIf.close();
  }
});

test('an algorithm that hangs costs the question and nothing else', async () => {
  const past = new DecisionHistory();
  past.table.add({ identity: 1, sizeBytes: 5, computeSeconds: 1, parents: [] });
  past.table.add({ identity: 2, sizeBytes: 6, computeSeconds: 2, parents: [0] });
  past.recordRun({ at: 10, members: [0, 1], results: [1], computed: [0, 1] });
  const whatIf = createSiteWhatIf(
    { remember: async (body) => body({ past }) },
    {
      algorithm: './hangs.mjs',
      folder: join(import.meta.dirname, 'plugins'),
      ...watermarks,
      timeMs: 2000,
    },
  );
  await assert.rejects(whatIf.ask({ budgetBytes: 0 }), { code: 'LAB_TASK_FAILED' });
  assert.equal((await whatIf.ask({ budgetBytes: 0, algorithm: 'hamr' }))?.computeSeconds, 3);
  await whatIf.close();
});

test('bundled decisions cost little and say so', () => {
  const whatIf = new WhatIf(generateHistory({ family: 'sweep', seed: 11, parameters: { runs: 150 } }));
  const ask = (budgetBytes: number) => whatIf.ask({ budgetBytes, lowShare: 0.9 }, hamr);
  const { footprintBytes, unlimitedSeconds, bareSeconds } = ask(0);
  const answers = [0.005, 0.05, 0.2, 1].map((share) => ask(footprintBytes * share));
  assert.deepEqual(
    answers.map(({ exact }) => exact),
    [false, false, true, true],
  );
  for (const { computeSeconds } of answers) {
    assert.ok(computeSeconds >= unlimitedSeconds - 1e-6 && computeSeconds <= bareSeconds + 1e-6);
  }
  assert.ok(Math.abs(answers.at(-1)!.computeSeconds - unlimitedSeconds) < 1e-6);
  assert.ok(answers[1]!.computeSeconds < answers[0]!.computeSeconds);
});
