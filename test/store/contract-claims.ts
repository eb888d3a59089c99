// Edges: who waits, who holds, and that a claim protects its dataset (I2, I6).
import assert from 'node:assert/strict';
import { actionRow, datasetRow, edgeRow, epoch, runRow, storedRow } from './rows.ts';
import type { Section } from './section.ts';

const by = { actor: 'a', at: epoch };

export const claims: Section = {
  async 'a dataset that is claimed or awaited is not given up'({ store }) {
    await store.write(async (tx) => {
      await tx.insertDatasets([1, 2, 3, 4].map((id) => storedRow(id)));
      await tx.insertEdges([
        edgeRow(1, 1, { state: 'HELD' }),
        edgeRow(2, 2),
        edgeRow(3, 3, { state: 'HELD', holder: 'pin', expiresAt: epoch + 5 }),
      ]);
    });
    const giveUp = () =>
      store.write((tx) =>
        tx.move(
          'dataset',
          'giveUp',
          [1, 2, 3, 4].map((id) => ({ id })),
          { ...by, unclaimed: true },
        ),
      );
    assert.deepEqual(
      (await giveUp()).map((one) => one.id),
      [4],
    );
    const freed = await store.write(async (tx) => [
      ...(await tx.releaseEdges('action', [1])),
      ...(await tx.expireEdges(epoch + 4)),
    ]);
    assert.deepEqual(freed, [1]);
    assert.deepEqual(
      (await giveUp()).map((one) => one.id),
      [1],
    );
    assert.deepEqual(await store.write((tx) => tx.expireEdges(epoch + 5)), [3]);
    assert.deepEqual(
      (await giveUp()).map((one) => one.id),
      [3],
    );
    assert.deepEqual(
      (await store.view.edgesOn([1, 2, 3])).map((edge) => edge.holderId),
      [2],
    );
  },
  async 'an action waits until its last input is held'({ store }) {
    await store.write(async (tx) => {
      await tx.insertRun(runRow(1));
      await tx.insertActions([
        actionRow(1, { state: 'WAITING' }),
        actionRow(2, { state: 'WAITING' }),
        actionRow(3),
      ]);
      await tx.insertEdges([
        edgeRow(1, 10),
        edgeRow(1, 11),
        edgeRow(2, 12, { holder: 'join' }),
        edgeRow(3, 11),
      ]);
    });
    const unblocked = () => store.write((tx) => tx.unblocked([1, 2, 3, 4]));
    assert.deepEqual(await unblocked(), []);
    const held = await store.write((tx) => tx.holdEdges([10, 12]));
    assert.deepEqual(held.map((edge) => [edge.holder, edge.holderId, edge.datasetId, edge.state]).sort(), [
      ['action', 1, 10, 'HELD'],
      ['join', 2, 12, 'HELD'],
    ]);
    assert.deepEqual(await unblocked(), [2]);
    await store.write((tx) => tx.holdEdges([11]));
    assert.deepEqual((await unblocked()).sort(), [1, 2]);
    await store.write((tx) => tx.unholdEdges([10]));
    assert.deepEqual(await unblocked(), [2]);
  },
  async 'edges are moved to the dataset that stands for another, and deleted one by one'({ store }) {
    await store.write(async (tx) => {
      await tx.insertDatasets([datasetRow(10), storedRow(20)]);
      await tx.insertEdges([
        edgeRow(1, 10),
        edgeRow(2, 10, { state: 'HELD' }),
        edgeRow(3, 10, { state: 'RELEASED' }),
        edgeRow(4, 20, { state: 'HELD' }),
      ]);
      await tx.repointEdges(10, 20);
    });
    assert.deepEqual(
      (await store.view.edgesOn([20])).map((edge) => edge.holderId),
      [1, 2, 4],
    );
    assert.deepEqual(await store.view.edgesOn([10]), []);
    const mine = await store.view.edgesOf('action', [1, 4]);
    await store.write((tx) => tx.deleteEdges(mine));
    assert.deepEqual(
      (await store.view.edgesOn([20])).map((edge) => edge.holderId),
      [2],
    );
    assert.equal((await store.view.edgesOf('action', [1, 2, 3, 4])).length, 2);
  },
  async 'edges on a growing action are found by their producer until a dataset is known'({ store }) {
    await store.write((tx) =>
      tx.insertEdges([
        edgeRow(1, 0, { datasetId: null, producerId: 5 }),
        edgeRow(2, 0, { datasetId: 7, producerId: 5 }),
        edgeRow(3, 0, { datasetId: null, producerId: 6 }),
      ]),
    );
    assert.deepEqual(
      (await store.view.edgesOnGrowth([5])).map((edge) => edge.holderId),
      [1],
    );
  },
  async 'only available datasets are touched, and each use counts'({ store }) {
    await store.write(async (tx) => {
      await tx.insertDatasets([storedRow(1), storedRow(2), datasetRow(3), storedRow(4), storedRow(5)]);
      await tx.move('dataset', 'giveUp', [{ id: 2 }, { id: 5 }], by);
      await tx.updateDataset(4, { removalBeganAt: epoch });
      await tx.takeDoomed({ owner: 'a', until: epoch + 9, now: epoch, limit: 1 });
    });
    const touched = await store.write((tx) => tx.touchDatasets([5, 4, 3, 2, 1, 99], epoch + 1));
    assert.deepEqual(touched, [
      { id: 1, state: 'STORED' },
      { id: 5, state: 'STORED_TO_DELETE' },
    ]);
    const rows = await store.view.datasets([1, 2, 5]);
    assert.deepEqual(
      rows.map((row) => [row.uses, row.usedAt]),
      [
        [1, epoch + 1],
        [0, null],
        [1, epoch + 1],
      ],
    );
    const locked = await store.write((tx) => tx.lockDatasets([3, 1, 99]));
    assert.deepEqual(locked, [
      { id: 1, state: 'STORED', removalBeganAt: null },
      { id: 3, state: 'TO_STORE', removalBeganAt: null },
    ]);
  },
  async 'totals by state are what counting would give, in numbers'({ store, database }) {
    const publish = (id: number, sizeBytes: number) => ({
      id,
      set: { location: `l${id}`, digest: 'd', sizeBytes },
    });
    for (let round = 0; round < 3; round++) {
      const ids = Array.from({ length: 60 }, (_, i) => round * 60 + i + 1);
      await Promise.allSettled(
        ids.map((id) =>
          store.write(async (tx) => {
            await tx.insertDatasets([id % 4 === 0 ? storedRow(id) : datasetRow(id)]);
            if (id % 3 === 0) await tx.move('dataset', 'publish', [publish(id, 2 ** 40 + id)], by);
            if (id % 6 === 0) await tx.move('dataset', 'giveUp', [{ id }], by);
            if (id % 12 === 0) await tx.takeDoomed({ owner: 'a', until: epoch, now: epoch, limit: 2 });
            if (id % 5 === 0) await tx.move('dataset', 'vanish', [{ id }], by);
            if (id % 7 === 0) throw new Error('undone');
          }),
        ),
      );
    }
    const counted = await database.reader.all(
      `select state, count(*) as count, cast(sum(case when state in
          ('STORED', 'LEAF', 'STORED_TO_DELETE', 'PROCESSING', 'DELETING') then size_bytes else 0 end) as bigint)
          as "sizeBytes" from dataset group by state order by state`,
    );
    const totals = await store.view.datasetTotals();
    assert.deepEqual(totals, counted);
    assert.ok(totals.every((row) => typeof row.sizeBytes === 'number' && typeof row.count === 'number'));
    assert.ok(totals.length > 3);
    assert.deepEqual(await store.write((tx) => tx.datasetTotals()), counted);
  },
  async 'a run is without live actions when the last has ended, whoever else still works for it'({ store }) {
    await store.write(async (tx) => {
      await tx.insertRun(runRow(1));
      await tx.insertRun(runRow(2));
      await tx.insertActions([
        actionRow(1, { state: 'REUSED' }),
        actionRow(2),
        actionRow(3, { runId: 2, state: 'SKIPPED' }),
      ]);
    });
    const idle = () => store.view.runsWithoutLiveActions([1, 2, 3]);
    assert.deepEqual(await idle(), [2]);
    await store.write((tx) => tx.move('action', 'kill', [{ id: 2 }], by));
    assert.deepEqual((await idle()).sort(), [1, 2]);
    assert.deepEqual((await store.write((tx) => tx.runsWithoutLiveActions([1, 2]))).sort(), [1, 2]);
  },
};
