// Races between transactions that are under way at the same time, which only PostgreSQL allows. Two stores stand for two processes;
// where the order matters, the test holds a transaction open until the other has got to its point. Uses ../postgres.ts.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { availableDatasetStates } from '../../src/core/machines/dataset.ts';
import type { Store, StoreTransaction, WriteOptions } from '../../src/core/ports/store.ts';
import { openAt, postgres } from './kinds.ts';
import { actionRow, datasetRow, edgeRow, epoch, runRow, storedRow } from './rows.ts';

const by = { actor: 'a', at: epoch };

async function twoStores(t: TestContext): Promise<[Store, Store] | undefined> {
  const made = await postgres.newUrl!(t);
  if ('skip' in made) {
    t.skip(made.skip);
    return undefined;
  }
  return [(await openAt(t, made.url)).store, (await openAt(t, made.url)).store];
}

/** A point that both transactions pass together. */
function meetingPoint(parties: number): () => Promise<void> {
  const all = Promise.withResolvers<void>();
  let here = 0;
  return () => {
    if (++here === parties) all.resolve();
    return all.promise;
  };
}

/** A transaction that has run its body and is held open until it is let go. */
async function heldOpen<T>(
  store: Store,
  body: (tx: StoreTransaction) => Promise<T>,
  options: WriteOptions = {},
): Promise<{ letGo(): Promise<T> }> {
  const reached = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  const done = store.write(async (tx) => {
    const result = await body(tx);
    reached.resolve();
    await held.promise;
    return result;
  }, options);
  await reached.promise;
  return {
    letGo() {
      held.resolve();
      return done;
    },
  };
}

/** Time for a statement to reach the server and wait there. */
const untilItWaits = (): Promise<void> => sleep(60);

test('two parents of one child that complete at the same moment make it READY', async (t) => {
  const stores = await twoStores(t);
  if (!stores) return;
  await stores[0].write(async (tx) => {
    await tx.insertRun(runRow(1));
    await tx.insertActions([actionRow(1, { state: 'WAITING' })]);
    await tx.insertDatasets([datasetRow(11), datasetRow(12)]);
    await tx.insertEdges([edgeRow(1, 11), edgeRow(1, 12)]);
  });
  const meet = meetingPoint(2);
  const complete = (store: Store, datasetId: number) =>
    store.write(async (tx) => {
      const set = { location: 'l', digest: 'd', sizeBytes: 1 };
      await tx.move('dataset', 'publish', [{ id: datasetId, set }], by);
      await tx.holdEdges([datasetId]);
      await meet();
      await tx.lockActions([1]);
      const ready = await tx.unblocked([1]);
      await tx.move(
        'action',
        'ready',
        ready.map((id) => ({ id })),
        by,
      );
      return ready.length;
    });
  const readied = await Promise.all([complete(stores[0], 11), complete(stores[1], 12)]);
  assert.deepEqual(readied.sort(), [0, 1]);
  assert.equal((await stores[0].view.actions([1]))[0]?.state, 'READY');
});

test('the last two actions of a run that end at the same moment: one of them sees that the run is over', async (t) => {
  const stores = await twoStores(t);
  if (!stores) return;
  await stores[0].write(async (tx) => {
    await tx.insertRun(runRow(1));
    await tx.insertActions([actionRow(1), actionRow(2)]);
    await tx.takeActions({ owner: 'me', now: epoch, until: epoch + 1000, limit: 2 });
  });
  const meet = meetingPoint(2);
  const end = (store: Store, id: number) =>
    store.write(async (tx) => {
      assert.equal((await tx.move('action', 'kill', [{ id, set: { owner: null } }], by)).length, 1);
      await meet();
      return tx.runsWithoutLiveActions([1]);
    });
  const seen = await Promise.all([end(stores[0], 1), end(stores[1], 2)]);
  assert.deepEqual(seen.flat(), [1]);
});

test('actions of one run end in several transactions at once while others of it can still be taken', async (t) => {
  const stores = await twoStores(t);
  if (!stores) return;
  await stores[0].write(async (tx) => {
    await tx.insertRun(runRow(1));
    await tx.insertActions([actionRow(1), actionRow(2), actionRow(3)]);
    await tx.takeActions({ owner: 'me', now: epoch, until: epoch + 1000, limit: 2 });
  });
  const looked = meetingPoint(2);
  const end = (store: Store, id: number) =>
    store.write(async (tx) => {
      await tx.move('action', 'kill', [{ id, set: { owner: null } }], by);
      const over = await tx.runsWithoutLiveActions([1]);
      await looked();
      return over;
    });
  const seen = await Promise.all([end(stores[0], 1), end(stores[1], 2)]);
  assert.deepEqual(seen.flat(), []);
});

test('a claim that comes first stops the giving up, and one that comes later finds the dataset given up', async (t) => {
  const stores = await twoStores(t);
  if (!stores) return;
  await stores[0].write((tx) => tx.insertDatasets([storedRow(1), storedRow(2)]));
  const claim = async (tx: StoreTransaction, id: number) => {
    const [touched] = await tx.touchDatasets([id], epoch);
    const [row] = await tx.lockDatasets([id]);
    await tx.insertEdges([edgeRow(id, id, { state: 'HELD' })]);
    return touched?.id === id ? row?.state : undefined;
  };
  const giveUp = (tx: StoreTransaction, id: number) =>
    tx.move('dataset', 'giveUp', [{ id }], { ...by, unclaimed: true });

  const claiming = await heldOpen(stores[0], (tx) => claim(tx, 1));
  const givenUp = stores[1].write((tx) => giveUp(tx, 1));
  await untilItWaits();
  assert.equal(await claiming.letGo(), 'STORED');
  assert.deepEqual(await givenUp, []);

  const givingUp = await heldOpen(stores[0], (tx) => giveUp(tx, 2));
  const claimed = stores[1].write((tx) => claim(tx, 2));
  await untilItWaits();
  assert.equal((await givingUp.letGo()).length, 1);
  assert.equal(await claimed, 'STORED_TO_DELETE');
});

test('claims, giving up and deletion at random never meet on one dataset (I2)', async (t) => {
  const stores = await twoStores(t);
  if (!stores) return;
  const count = 25;
  const all = Array.from({ length: count }, (_, i) => i + 1);
  await stores[0].write((tx) => tx.insertDatasets(all.map((id) => storedRow(id))));
  const claimed = new Set<number>();
  const taken = new Set<number>();
  const pause = () => sleep(Math.random() * 4);
  await Promise.all([
    ...all.map(async (id) => {
      await pause();
      const touched = await stores[id % 2]!.write(async (tx) => {
        const touched = await tx.touchDatasets([id], epoch);
        if (touched.length === 1) await tx.insertEdges([edgeRow(id, id, { state: 'HELD' })]);
        return touched;
      });
      for (const one of touched) claimed.add(one.id);
    }),
    ...all.map(async (id) => {
      await pause();
      await stores[(id + 1) % 2]!.write((tx) =>
        tx.move('dataset', 'giveUp', [{ id }], { ...by, unclaimed: true }),
      );
    }),
    ...all.map(async (id) => {
      await pause();
      const rows = await stores[id % 2]!.write((tx) =>
        tx.takeDoomed({ owner: `o${id}`, until: epoch + 9_000, now: epoch, limit: 3 }),
      );
      for (const row of rows) {
        assert.ok(!taken.has(row.id), 'taken once');
        taken.add(row.id);
      }
    }),
  ]);
  for (const row of await stores[0].view.datasets(all)) {
    assert.ok(!(claimed.has(row.id) && taken.has(row.id)), `dataset ${row.id} is claimed and being deleted`);
    if (claimed.has(row.id)) assert.ok(availableDatasetStates.some((state) => state === row.state));
  }
});

test('who joins work in flight while it is being published gets the dataset', async (t) => {
  const stores = await twoStores(t);
  if (!stores) return;
  const set = { location: 'l', digest: 'd', sizeBytes: 1 };
  const publish = async (tx: StoreTransaction, id: number) => {
    await tx.move('dataset', 'publish', [{ id, set }], by);
    return tx.holdEdges([id]);
  };
  const join = async (tx: StoreTransaction, id: number) => {
    const [row] = await tx.lockDatasets([id]);
    const inFlight = row?.state === 'TO_STORE';
    await tx.insertEdges([edgeRow(id, id, { state: inFlight ? 'WAITING' : 'HELD' })]);
    return row?.state;
  };
  await stores[0].write((tx) => tx.insertDatasets([datasetRow(1), datasetRow(2)]));

  const joining = await heldOpen(stores[0], (tx) => join(tx, 1));
  const published = stores[1].write((tx) => publish(tx, 1));
  await untilItWaits();
  assert.equal(await joining.letGo(), 'TO_STORE');
  assert.equal((await published).length, 1, 'the edge that was about to come is held');

  const publishing = await heldOpen(stores[0], (tx) => publish(tx, 2));
  const joined = stores[1].write((tx) => join(tx, 2));
  await untilItWaits();
  await publishing.letGo();
  assert.equal(await joined, 'STORED');
  assert.deepEqual(
    (await stores[0].view.edgesOn([1, 2])).map((edge) => edge.state),
    ['HELD', 'HELD'],
  );
});

test('transactions that lock each other out are both done in the end', async (t) => {
  const stores = await twoStores(t);
  if (!stores) return;
  await stores[0].write((tx) => tx.insertDatasets([storedRow(1), storedRow(2)]));
  const meet = meetingPoint(2);
  const both = (store: Store, [one, other]: [number, number]) => {
    let tries = 0;
    return store.write(async (tx) => {
      await tx.touchDatasets([one], epoch);
      if (++tries === 1) await meet();
      await tx.touchDatasets([other], epoch);
    });
  };
  await Promise.all([both(stores[0], [1, 2]), both(stores[1], [2, 1])]);
  assert.deepEqual(
    (await stores[0].view.datasets([1, 2])).map((row) => row.uses),
    [2, 2],
  );
});

test('who follows the journal misses nothing, though ids are given out before the commit', async (t) => {
  const stores = await twoStores(t);
  if (!stores) return;
  const [one, two] = stores;
  const note = (tx: StoreTransaction, id: number) => tx.note('run', id, id, 'noted', null, by);
  await one.write((tx) => note(tx, 1));
  const early = await heldOpen(one, async (tx) => {
    await note(tx, 2);
    assert.equal((await tx.journal({ limit: 9 })).length, 2);
  });
  await two.write((tx) => note(tx, 3));
  assert.deepEqual(
    (await two.view.journal({ limit: 9 })).map((entry) => entry.entityId),
    [1],
  );
  await early.letGo();
  assert.deepEqual(
    (await two.view.journal({ limit: 9 })).map((entry) => entry.entityId),
    [1, 2, 3],
  );
});

test('a planner waits until the other has finished; nobody else does', async (t) => {
  const stores = await twoStores(t);
  if (!stores) return;
  const [one, two] = stores;
  const plan = async (tx: StoreTransaction) => {
    await tx.lockPlanning();
    await tx.nextIds('run', 1);
    await tx.advanceDispatchClock(5);
    const before = await tx.setting('planned');
    await tx.putSetting('planned', `${before ?? ''}x`);
  };
  const first = await heldOpen(one, plan, { planning: true });
  const others = [
    two.write(plan, { planning: true }),
    two.write(plan, { planning: true }),
    one.write(plan, { planning: true }),
  ];
  // Neither numbers nor the dispatch clock nor a planner that waits in the same process make anybody wait.
  for (const store of stores) {
    assert.ok((await store.write((tx) => tx.nextIds('run', 1))) > 1);
    await store.write((tx) => tx.advanceDispatchClock(6));
  }
  await first.letGo();
  await Promise.all(others);
  assert.equal(await one.view.setting('planned'), 'xxxx');
});

test('a journal row that the server refuses undoes its transaction and says why, though the commit was sent with it', async (t) => {
  const stores = await twoStores(t);
  if (!stores) return;
  const [one, two] = stores;
  const write = (id: number, actor: string) =>
    one.write(async (tx) => {
      await tx.insertDatasets([datasetRow(id)]);
      await tx.note('dataset', id, null, 'noted', null, { actor, at: epoch });
    });
  const refused = { code: 'STORE_QUERY_FAILED', message: /invalid byte sequence/ };
  await assert.rejects(write(1, 'no\0text'), refused);
  const [bad, good] = await Promise.allSettled([write(2, 'no\0text'), write(3, 'text')]);
  assert.match((bad as PromiseRejectedResult).reason.message, refused.message);
  assert.equal(good.status, 'fulfilled');
  assert.deepEqual(
    (await two.view.datasets([1, 2, 3])).map((row) => row.id),
    [3],
  );
  assert.deepEqual(await two.view.datasetTotals(), [{ state: 'TO_STORE', count: 1, sizeBytes: 0 }]);
});
