// What decisions remember from one process to the next: the same decisions as from the whole history, and never a wrong one because what
// was kept is damaged, cut off, or of another store.
import assert from 'node:assert/strict';
import { copyFile, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { createDecisionMemory } from '../../src/composition/decision-memory.ts';
import { packData, unpackData } from '../../src/core/packed-data.ts';
import { GuardedDecider } from '../../src/decisions/guarded.ts';
import { createHistoryKeeper } from '../../src/engine/keep-history.ts';
import type { Decision } from '../../src/engine/make-decision.ts';
import { openWorld, type Step, story, type World } from './budget-world.ts';

function workflow(n: number): Record<string, Step> {
  return {
    source: { bytes: 500, seconds: 2 },
    [`clean${n % 3}`]: { bytes: 800 + (n % 3), seconds: 3, parents: ['source'] },
    [`model${n}`]: { bytes: 300 + n, seconds: 1, parents: [`clean${n % 3}`, 'source'] },
    [`report${n}`]: { bytes: 20, parents: [`model${n}`], result: true },
  };
}

const choice = ({ givenUp, by }: Decision) => ({
  by,
  givenUp: givenUp.map(({ row, score, reuseRate }) => [row.id, score, reuseRate]),
});

const keeperOf = (path: string, program = 'test') =>
  createHistoryKeeper({ memory: createDecisionMemory(path), program, leastEvents: 1 });

for (const threadFrom of [0, 1000]) {
  const where = threadFrom === 0 ? 'in a thread' : 'in place';
  story(`the next process decides ${where} as if it had read everything`, async ({ open }) => {
    const decider = () => new GuardedDecider({ algorithm: 'hamr', folder: '.', threadFrom });
    const world = await open({ decider: decider(), remembers: true });
    for (let n = 0; n < 5; n += 1) await world.run(workflow(n));
    await world.engine.decisionManager.free(900);
    await world.close();
    const { folder, url } = world;
    const kept = await keeperOf(join(folder, 'memory'))
      .recall(world.store.survey)
      .catch(() => undefined);
    assert.equal(kept, undefined, 'a closed store cannot confirm what was kept');

    const next = await open({ folder, url, decider: decider(), remembers: true });
    const recalled = await keeperOf(join(folder, 'memory')).recall(next.store.view);
    assert.ok(recalled?.learnt, 'what the algorithm learnt was kept');
    assert.ok(recalled.history.past.log.count >= 5);
    await next.run(workflow(5));
    const remembered = choice(await next.engine.decisionManager.foresee(700));
    await next.close();

    const afresh = await open({ folder, url, decider: decider() });
    assert.deepEqual(remembered, choice(await afresh.engine.decisionManager.foresee(700)));
    assert.equal(remembered.by, 'hamr');
    assert.ok(remembered.givenUp.length > 0);
  });
}

async function remembered(world: World): Promise<string> {
  for (let n = 0; n < 3; n += 1) await world.run(workflow(n));
  await world.engine.decisionManager.foresee(700);
  await world.engine.decisionManager.stop();
  return join(world.folder, 'memory');
}

story(
  'what was kept is not believed when it is damaged, cut off, or another program kept it',
  async ({ open }) => {
    const world = await open({ remembers: true });
    const path = await remembered(world);
    const { view } = world.store;
    assert.ok(await keeperOf(path).recall(view));
    assert.deepEqual(
      (await readdir(world.folder)).filter((name) => name.startsWith('memory')),
      ['memory'],
      'nothing is left beside it',
    );
    assert.equal(await keeperOf(path, 'a newer edition').recall(view), undefined);
    const whole = await readFile(path);
    const damaged = Buffer.from(whole);
    damaged[damaged.length - 9]! ^= 1;
    for (const bytes of [
      damaged,
      whole.subarray(0, whole.length - 8),
      Buffer.alloc(0),
      Buffer.from('memory!!!'),
    ]) {
      await writeFile(path, bytes);
      assert.equal(await keeperOf(path).recall(view), undefined);
    }
    await rm(path);
    assert.equal(await keeperOf(path).recall(view), undefined);
  },
);

test('what another store remembers is not believed', async (t) => {
  const one = await openWorld(t, { remembers: true });
  const path = await remembered(one);
  const other = await openWorld(t, { remembers: true });
  await remembered(other);
  await copyFile(path, join(other.folder, 'memory'));
  assert.equal(await keeperOf(join(other.folder, 'memory')).recall(other.store.view), undefined);
});

test('plain data comes back as it was, and nothing else is taken', () => {
  const data = {
    clock: Number.POSITIVE_INFINITY,
    words: ['a', 'é'],
    nothing: null,
    bytes: Uint8Array.of(1, 2, 3),
    inner: { whole: Int32Array.of(-1, 7), small: Uint32Array.of(9), real: Float64Array.of(0.5, Number.NaN) },
  };
  const parts = packData(data);
  const bytes = Buffer.concat([Buffer.alloc(3), ...parts]).subarray(3);
  assert.deepEqual(unpackData(new Uint8Array(bytes)), data);
  assert.deepEqual(unpackData(bytes), data, 'wherever in memory the bytes lie');
  assert.throws(() => packData({ seen: new Map() }), /not plain data/);
  assert.throws(() => unpackData(new Uint8Array(bytes.subarray(0, bytes.length - 1))), RangeError);
});
