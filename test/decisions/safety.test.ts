// Decisions in a fallible world: plug-ins that misbehave, a lease that is lost half-way, deciders that break, and many processes that plan
// while others delete.
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Decider } from '../../src/core/ports/decider.ts';
import { GuardedDecider } from '../../src/decisions/guarded.ts';
import { listDecisions } from '../../src/engine/list-decisions.ts';
import { eventually, type Step, story, type World } from './budget-world.ts';

async function fill(world: World, runs: number): Promise<void> {
  for (let n = 0; n < runs; n += 1) {
    await world.run({
      [`part${n}`]: { bytes: 1000, seconds: 1 + n },
      [`end${n}`]: { bytes: 5, parents: [`part${n}`], result: true },
    });
  }
}

const plugins: Record<string, { source: string; reason: RegExp }> = {
  throws: {
    source: "export default { name: 'bad', reason: 'r', decide() { throw new Error('no idea'); } };",
    reason: /no idea/,
  },
  hangs: {
    source: "export default { name: 'bad', reason: 'r', decide() { for (;;) {} } };",
    reason: /no answer within/,
  },
  'answers nonsense': {
    source:
      "export default { name: 'bad', reason: 'r', decide() { return { giveUp: [0, 0, -1, 99999] }; } };",
    reason: /was refused/,
  },
};

for (const [what, { source, reason }] of Object.entries(plugins)) {
  story(`a plug-in that ${what} cannot hurt, and the reason is journaled`, async ({ open }) => {
    let folder = '';
    const decider: Decider = {
      decide: (facts, log) => inner().decide(facts, log),
      close: () => inner().close(),
    };
    let made: GuardedDecider | undefined;
    const inner = (): GuardedDecider =>
      (made ??= new GuardedDecider({
        algorithm: './bad.mjs',
        folder,
        limits: { timeMs: 300, memoryMegabytes: 64 },
      }));
    const world = await open({ decider });
    folder = world.folder;
    await writeFile(join(folder, 'bad.mjs'), source);
    await fill(world, 4);
    const decision = await world.engine.decisionManager.free(1500);
    assert.equal(decision?.by, 'gdsf');
    assert.equal(decision?.freedBytes, 2000);
    assert.match(decision?.refused ?? '', reason);
    const [record] = await listDecisions(world.store.view, { limit: 10 });
    assert.equal(record?.algorithm, 'gdsf');
    assert.match(record?.refused ?? '', reason);
  });
}

story('who loses the lease half-way gives nothing up', async ({ open }) => {
  let world: World | undefined;
  const guarded = new GuardedDecider({ algorithm: 'lru', folder: '.' });
  const slow: Decider = {
    async decide(facts, log) {
      const choice = await guarded.decide(facts, log);
      // While it thinks, its lease runs out and another process takes it.
      await world?.store.write((tx) =>
        tx.takeLease({
          name: 'decisions',
          owner: 'other',
          now: Number.MAX_SAFE_INTEGER,
          until: Date.now() + 500,
        }),
      );
      return choice;
    },
    close: () => guarded.close(),
  };
  world = await open({ decider: slow });
  await fill(world, 4);
  const decision = await world.engine.decisionManager.free(1500);
  assert.equal(decision?.freedBytes, 0);
  assert.deepEqual(await world.states('part0', 'part1', 'part2', 'part3'), Array(4).fill('STORED'));
  assert.equal(await world.engine.decisionManager.free(1500), undefined, 'the other one holds the lease');
});

story('a decider that breaks is reported, and the next decision starts afresh', async ({ open }) => {
  const guarded = new GuardedDecider({ algorithm: 'lru', folder: '.' });
  let broken = true;
  const decider: Decider = {
    decide: (facts, log) => (broken ? Promise.reject(new Error('out of order')) : guarded.decide(facts, log)),
    close: () => guarded.close(),
  };
  const world = await open({ decider });
  await fill(world, 4);
  await assert.rejects(world.engine.decisionManager.free(1500), /out of order/);
  broken = false;
  assert.equal((await world.engine.decisionManager.free(1500))?.freedBytes, 2000);
  await eventually(async () => (await world.states('part0', 'part1')).every((state) => state === 'DELETED'));
});

story('nothing claimed is ever given up while processes plan and delete at once', async ({ open }) => {
  const one = await open({ algorithm: 'size' });
  const two = await open({ algorithm: 'lru' });
  const flow = (n: number): Record<string, Step> => ({
    root: { bytes: 100 },
    [`left${n % 4}`]: { bytes: 200, parents: ['root'] },
    [`right${n % 3}`]: { bytes: 300, parents: ['root'] },
    [`join${n % 5}-${n % 4}-${n % 3}`]: { bytes: 50, parents: [`left${n % 4}`, `right${n % 3}`] },
    [`end${n}`]: { bytes: 1, parents: [`join${n % 5}-${n % 4}-${n % 3}`], result: true },
  });
  let going = true;
  const deleting = Promise.all(
    [one, two].map(async (world) => {
      while (going) {
        await world.engine.decisionManager.free(1_000_000);
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
    }),
  );
  const runs: number[] = [];
  for (let n = 0; n < 24; n += 4) {
    const batch = [0, 1, 2, 3].map((i) => (i % 2 === 0 ? one : two).submit(flow(n + i)));
    runs.push(...(await Promise.all(batch)));
  }
  for (const run of runs) assert.equal((await one.ended(run)).state, 'SUCCEEDED');
  going = false;
  await deleting;
  const events = new Set<string>();
  for (const row of await one.store.view.listDatasets({ limit: 1000 })) {
    for (const entry of await one.store.view.journal({ datasetId: row.id, limit: 10_000 }))
      events.add(entry.event);
  }
  assert.ok(events.has('giveUp') && events.has('removed'));
  assert.ok(!events.has('vanish'), 'no run found a file missing');
  assert.deepEqual([...one.problems, ...two.problems], []);
  await two.close();
});
