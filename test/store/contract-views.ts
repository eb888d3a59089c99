// Looks: what was written comes back whole, in the same order on every database (I11), in pages, by every key.
import assert from 'node:assert/strict';
import {
  actionRow,
  attemptRow,
  born,
  datasetRow,
  edgeRow,
  epoch,
  runRow,
  signatureOf,
  storedRow,
  workerRow,
} from './rows.ts';
import type { Section } from './section.ts';

const ids = (rows: readonly { readonly id: number }[]): number[] => rows.map((row) => row.id);
const nasty = 'ä " \' \\ \t \n \r $1 ?1 {} NULL \\N € 🦔 \u2028';

export const views: Section = {
  async 'rows come back as they went in, odd characters included'({ store }) {
    const run = runRow(1, { name: nasty, source: nasty, parameters: '{"a":"\\u0000"}', retryOf: 7 });
    const action = actionRow(1, { key: nasty, node: nasty, priority: -3, rank: 2 ** 50, error: nasty });
    const dataset = storedRow(1, { name: nasty, definition: nasty, sizeBytes: 2 ** 52, value: '' });
    const attempt = attemptRow(1, { handle: nasty, cpuMs: 12, exitCode: -1 });
    const worker = workerRow(1, { doing: nasty });
    const edge = edgeRow(1, 1, { slot: nasty, position: nasty, expiresAt: epoch });
    await store.write(async (tx) => {
      await tx.insertRun(run);
      await tx.insertActions([action]);
      await tx.insertDatasets([dataset]);
      await tx.insertAttempts([attempt]);
      await tx.insertWorker(worker);
      await tx.insertEdges([edge]);
    });
    const { source, parameters, ...row } = run;
    assert.deepEqual({ ...(await store.view.runs([1]))[0] }, born(row));
    assert.deepEqual({ ...(await store.view.runDocument(1)) }, { source, parameters });
    assert.deepEqual({ ...(await store.view.actions([1]))[0] }, born(action));
    assert.deepEqual({ ...(await store.view.datasets([1]))[0] }, born(dataset));
    assert.deepEqual({ ...(await store.view.attempts([1]))[0] }, born(attempt));
    assert.deepEqual(
      { ...(await store.view.workers())[0] },
      { ...born(worker), leaseUntil: worker.leaseUntil },
    );
    assert.deepEqual({ ...(await store.view.edgesOf('action', [1]))[0] }, edge);
    assert.deepEqual(
      await store.view.attemptsByKey(['1-1-key', '1-1-other']),
      await store.view.attempts([1]),
    );
  },
  async 'thousands of rows go in at once and come out again'({ store }) {
    const count = 6_000;
    const rows = Array.from({ length: count }, (_, i) => actionRow(i + 1, { node: `${nasty}${i}` }));
    await store.write(async (tx) => {
      await tx.insertActions(rows);
      await tx.insertDatasets(rows.map(({ id }) => datasetRow(id)));
      await tx.insertEdges(rows.map(({ id }) => edgeRow(id, id, { slot: nasty })));
      await tx.insertLineage(rows.map(({ id }) => ({ datasetId: id, slot: 's', position: '', parentId: 1 })));
    });
    const all = rows.map(({ id }) => id);
    assert.deepEqual(
      (await store.view.actions(all)).map((row) => row.node),
      rows.map((row) => row.node),
    );
    assert.deepEqual(ids(await store.view.datasets(all)), all);
    assert.equal((await store.view.datasetFacts(all.map(signatureOf), ['here'])).length, count);
    assert.equal((await store.view.edgesOn(all)).length, count);
    assert.equal((await store.view.childrenOf([1], 10_000)).length, count);
  },
  async 'what very many rows have in common goes in as it is, and a refused one takes all with it'({
    store,
  }) {
    const made = Array.from({ length: 1003 }, (_, i) =>
      actionRow(i + 1, {
        name: nasty,
        node: nasty.repeat(20),
        tags: "a'b",
        priority: -3,
        rank: 2 ** 50,
        error: i % 2 ? nasty : null,
      }),
    );
    await store.write((tx) => tx.insertActions(made));
    const read = await store.view.actions(made.map(({ id }) => id));
    assert.deepEqual(
      read.map((row) => ({ ...row })),
      made.map(born),
    );
    const more = made.map((row, i) => ({
      ...row,
      id: row.id + 2000,
      key: i === 1000 ? 'step-1' : `more-${i}`,
    }));
    await assert.rejects(
      store.write((tx) => tx.insertActions(more)),
      { code: 'STORE_CONFLICT' },
    );
    assert.equal((await store.view.actionsOfRun(1)).length, made.length);
  },
  async 'a signature that is asked for twice finds its dataset once'({ store }) {
    await store.write((tx) => tx.insertDatasets([storedRow(1), storedRow(2)]));
    const twice = [signatureOf(2), signatureOf(1), signatureOf(2)];
    assert.deepEqual(ids(await store.view.datasetFacts(twice, ['here'])), [1, 2]);
  },
  async 'a run is live until it ends'({ store }) {
    await store.write(async (tx) => {
      await tx.insertRun(runRow(1));
      await tx.insertRun(runRow(2, { endedAt: epoch }));
    });
    assert.deepEqual(await Promise.all([1, 2, 3].map((id) => store.view.isLive(id))), [true, false, false]);
  },
  async 'datasets are found by signature, prefix, bytes, place, name and lineage within the readable realms'({
    store,
  }) {
    const members = [
      { datasetId: 2, position: '00000000' },
      { datasetId: 1, position: '00000001' },
    ];
    await store.write(async (tx) => {
      await tx.insertDatasets([
        storedRow(1, { physical: 'p', name: 'sort' }),
        storedRow(2, { signature: signatureOf(1), realm: 'there', physical: 'p' }),
        storedRow(3, { signature: signatureOf(1), isCurrent: 0 }),
      ]);
      await tx.insertLineage([{ datasetId: 3, slot: 'b', position: '', parentId: 1 }]);
      await tx.insertLineage([
        { datasetId: 3, slot: 'b', position: '', parentId: 1 },
        { datasetId: 3, slot: 'a', position: '', parentId: 2 },
      ]);
      await tx.putGrowth('g', 'here', [{ datasetId: 3, position: '' }], epoch);
      await tx.putGrowth('g', 'here', members, epoch);
    });
    const { view } = store;
    const one = [signatureOf(1)];
    assert.deepEqual(ids(await view.datasetsBySignature(one, ['here'])), [1]);
    assert.deepEqual(ids(await view.datasetFacts(one, ['here', 'there'])).sort(), [1, 2]);
    assert.deepEqual(await view.datasetsBySignature(one, []), []);
    assert.deepEqual(ids(await view.datasetsByPhysical(['p'], ['there'])), [2]);
    assert.deepEqual(ids(await view.datasetsByPrefix(signatureOf(1).slice(0, 9), 9)).sort(), [1, 2]);
    assert.deepEqual(ids(await view.datasetsByLocation(['d/3', 'd/9'])), [3]);
    assert.deepEqual(ids(await view.datasetsNamed('step', ['here', 'there'], 9)), [3, 2]);
    assert.deepEqual(
      (await view.growths(['g'], ['here'])).map((row) => ({ ...row })),
      [{ signature: 'g', realm: 'here', members }],
    );
    assert.deepEqual(
      (await view.parentsOf([3])).map((row) => row.slot),
      ['a', 'b'],
    );
    assert.deepEqual(
      (await view.childrenOf([1], 9)).map((row) => row.datasetId),
      [3],
    );
  },
  async 'lists are paged from the newest, by state, name, user and realm'({ store }) {
    await store.write(async (tx) => {
      for (let id = 1; id <= 30; id++) {
        await tx.insertRun(
          runRow(id, { userName: id % 2 ? 'ada' : 'bob', realm: id % 3 ? 'here' : 'there' }),
        );
        await tx.insertDatasets([id % 2 ? storedRow(id, { name: `n${id % 3}` }) : datasetRow(id)]);
      }
      const odd = Array.from({ length: 10 }, (_, i) => ({ id: i * 3 + 1 }));
      await tx.move('run', 'succeed', odd, { actor: 'a', at: epoch });
      await tx.move('run', 'cancel', [{ id: 2 }], { actor: 'a', at: epoch });
    });
    const { view } = store;
    assert.deepEqual(ids(await view.listRuns({ limit: 3 })), [30, 29, 28]);
    assert.deepEqual(ids(await view.listRuns({ limit: 3, before: 28 })), [27, 26, 25]);
    assert.deepEqual(ids(await view.listRuns({ limit: 3, states: ['SUCCEEDED'] })), [28, 25, 22]);
    assert.deepEqual(
      ids(await view.listRuns({ limit: 4, states: ['SUCCEEDED', 'RUNNING'], before: 29 })),
      [28, 27, 26, 25],
    );
    assert.deepEqual(
      ids(await view.listRuns({ limit: 2, states: ['SUCCEEDED'], userName: 'bob', realms: ['here'] })),
      [28, 22],
    );
    assert.deepEqual(ids(await view.listRuns({ limit: 2, realms: ['there'] })), [30, 27]);
    assert.equal((await view.liveRuns()).length, 20);
    assert.deepEqual(ids(await view.submittedRuns({ limit: 2 })), [30, 29]);
    assert.deepEqual(
      ids(await view.submittedRuns({ from: epoch + 4, until: epoch + 7, limit: 9 })),
      [6, 5, 4],
    );
    assert.deepEqual(ids(await view.listDatasets({ limit: 3 })), [30, 29, 28]);
    assert.deepEqual(
      ids(await view.listDatasets({ limit: 3, states: ['STORED', 'LEAF'], before: 29 })),
      [27, 25, 23],
    );
    assert.deepEqual(
      ids(await view.listDatasets({ limit: 3, states: ['STORED'], name: 'n1' })),
      [25, 19, 13],
    );
    assert.deepEqual(ids(await view.listDatasets({ limit: 2, name: 'n0', realms: ['here'] })), [27, 21]);
    assert.equal((await view.runBySubmission('submission-9'))?.id, 9);
    assert.equal(await view.runBySubmission('none'), undefined);
  },
  async 'the actions of a run come in pages, by key, by state, by dataset and by the time of their end'({
    store,
  }) {
    await store.write(async (tx) => {
      await tx.insertRun(runRow(1));
      const states = ['READY', 'WAITING', 'REUSED', 'SKIPPED'] as const;
      await tx.insertActions(
        Array.from({ length: 20 }, (_, i) =>
          actionRow(i + 1, {
            state: states[i % 4]!,
            runId: i < 16 ? 1 : 2,
            endedAt: i % 4 > 1 ? epoch + (i % 8) : null,
          }),
        ),
      );
    });
    const { view } = store;
    assert.deepEqual(
      ids(await view.actionsOfRun(1)),
      Array.from({ length: 16 }, (_, i) => i + 1),
    );
    assert.deepEqual(ids(await view.actionsOfRun(1, { after: 5, limit: 3 })), [6, 7, 8]);
    assert.deepEqual(
      ids(await view.actionsOfRun(1, { states: ['REUSED', 'READY'], limit: 5 })),
      [1, 3, 5, 7, 9],
    );
    assert.deepEqual(ids(await view.actionsByKey(1, ['step-3', 'step-1', 'step-17'])), [1, 3]);
    assert.deepEqual(ids(await view.actionsOfDatasets([2, 4, 6], 2)), [6, 4]);
    assert.deepEqual(ids(await view.endedActions({ limit: 3 })), [16, 8, 15]);
    assert.deepEqual(
      ids(await view.endedActions({ from: epoch + 2, until: epoch + 3, limit: 9 })),
      [19, 11, 3],
    );
    assert.deepEqual((await view.countActions(1)).map(({ state, count }) => [state, count]).sort(), [
      ['READY', 4],
      ['REUSED', 4],
      ['SKIPPED', 4],
      ['WAITING', 4],
    ]);
    assert.equal((await view.summarizeActions(1)).length, 4);
    assert.equal(await view.savedMs(1), 0);
  },
  async 'text sorts by its bytes'({ store }) {
    const slots = ['b', 'B', 'a', 'ä', '_', 'Z', '10', '9'];
    await store.write((tx) => tx.insertEdges(slots.map((slot) => edgeRow(1, 1, { slot, position: '' }))));
    const found = (await store.view.edgesOf('action', [1])).map((edge) => edge.slot);
    assert.deepEqual(found, ['10', '9', 'B', 'Z', '_', 'a', 'b', 'ä']);
  },
  async 'the journal is read in order from any place, by run and by dataset'({ store }) {
    const by = { actor: 'a', at: epoch };
    await store.write(async (tx) => {
      await tx.insertRun(runRow(1));
      await tx.insertDatasets([storedRow(5)]);
      await tx.insertActions([actionRow(5)]);
      await tx.note('run', 1, 1, 'submitted', { a: 1 }, by);
      await tx.move('dataset', 'promote', [{ id: 5 }], by);
      await tx.takeActions({ owner: 'a', until: epoch, now: epoch, limit: 1 });
      await tx.note('dataset', 5, 1, 'differs', null, by);
    });
    const events = async (filter: object) =>
      (await store.view.journal({ limit: 99, ...filter })).map((entry) => entry.event);
    assert.deepEqual(await events({}), ['submitted', 'promote', 'take', 'differs']);
    assert.deepEqual(await events({ runId: 1 }), ['submitted', 'take', 'differs']);
    assert.deepEqual(await events({ datasetId: 5 }), ['promote', 'differs']);
    const [first] = await store.view.journal({ limit: 1 });
    assert.deepEqual(await events({ after: first?.id, limit: 2 }), ['promote', 'take']);
  },
  async 'settings, file digests and the dispatch clock are kept'({ store }) {
    const digest = (key: string, sizeBytes: number) => ({ key, sha256: `s${sizeBytes}`, sizeBytes });
    await store.write(async (tx) => {
      await tx.putSetting('a', '1');
      await tx.putSetting('a', '2');
      await tx.putFileDigests([digest('x', 1), digest('y', 2)], epoch);
      await tx.putFileDigests([digest('x', 3), digest('x', 3)], epoch);
      await tx.advanceDispatchClock(7);
      await tx.advanceDispatchClock(5);
    });
    assert.equal(await store.view.setting('a'), '2');
    assert.deepEqual(
      await store.view.fileDigests(['x', 'y', 'z']),
      new Map([
        ['x', { sha256: 's3', sizeBytes: 3 }],
        ['y', { sha256: 's2', sizeBytes: 2 }],
      ]),
    );
    assert.equal(await store.view.dispatchClock(), 7);
  },
  async 'a plan takes its place in the queue as it stands, whatever was planned before'({ store }) {
    const place = (): Promise<number> => store.write((tx) => tx.dispatchClock(), { planning: true });
    assert.equal(await place(), 0);
    await store.write((tx) => tx.advanceDispatchClock(7));
    assert.equal(await place(), 7);
  },
  async 'empty lists ask for nothing and change nothing'({ store }) {
    await store.write(async (tx) => {
      await tx.insertActions([]);
      await tx.insertEdges([]);
      await tx.deleteEdges([]);
      await tx.putFileDigests([], epoch);
      assert.deepEqual(await tx.move('action', 'ready', [], { actor: 'a', at: 1 }), []);
      assert.deepEqual(await tx.touchDatasets([], 1), []);
      assert.deepEqual(await tx.unblocked([]), []);
      assert.deepEqual(await tx.holdEdges([]), []);
      assert.deepEqual(await tx.releaseEdges('action', []), []);
    });
    assert.deepEqual(await store.view.actions([]), []);
    assert.deepEqual(await store.view.datasetsBySignature([], []), []);
    assert.deepEqual(await store.view.edgesOn([]), []);
    assert.equal((await store.view.fileDigests([])).size, 0);
  },
};
