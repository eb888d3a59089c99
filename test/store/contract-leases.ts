// Leases: take by priority and age, not before due, extend, give back, take over; who lost his lease changes nothing.
import assert from 'node:assert/strict';
import type { Store } from '../../src/core/ports/store.ts';
import type { ActionRow } from '../../src/core/rows.ts';
import { actionRow, attemptRow, datasetRow, edgeRow, epoch, runRow, storedRow, workerRow } from './rows.ts';
import type { Section } from './section.ts';

const now = epoch + 1_000;
const ids = (rows: readonly { readonly id: number }[]): number[] => rows.map((row) => row.id);

function take(
  store: Store,
  owner: string,
  limit: number,
  at = now,
  until = at + 1_000,
): Promise<ActionRow[]> {
  return store.write((tx) => tx.takeActions({ owner, until, now: at, limit }));
}

async function insert(store: Store, rows: readonly Partial<ActionRow>[]): Promise<void> {
  await store.write(async (tx) => {
    await tx.insertRun(runRow(1));
    await tx.insertActions(rows.map((row, i) => actionRow(i + 1, row)));
  });
}

export const leases: Section = {
  async 'actions are taken by priority, then rank, then id, and only READY ones'({ store }) {
    await insert(store, [
      { rank: 5 },
      { rank: 5, priority: 1 },
      { rank: 3 },
      { rank: 3 },
      { rank: 1, state: 'WAITING' },
      { rank: 9, priority: 7 },
    ]);
    const taken = await take(store, 'a', 4);
    assert.deepEqual(ids(taken), [6, 2, 3, 4]);
    assert.partialDeepStrictEqual(taken[0], {
      state: 'PROCESSING',
      owner: 'a',
      leaseUntil: now + 1_000,
      fence: 1,
      version: 2,
      startedAt: now,
    });
    assert.deepEqual(ids(await take(store, 'b', 4)), [1]);
    assert.deepEqual(await take(store, 'c', 4), []);
    const journal = await store.view.journal({ limit: 99 });
    assert.deepEqual(
      journal.map((entry) => entry.event),
      Array(5).fill('take'),
    );
    assert.deepEqual(ids(await store.view.ownedActions('a')), [2, 3, 4, 6]);
  },
  async 'a READY action with a due time is taken when it has come, in its place by priority'({ store }) {
    await insert(store, [{}, {}, {}]);
    await take(store, 'a', 2);
    const retry = (id: number, leaseUntil: number) =>
      store.write((tx) =>
        tx.move('action', 'retry', [{ id, set: { owner: null, leaseUntil } }], { actor: 'a', at: now }),
      );
    await retry(1, now + 50);
    await retry(2, now + 20);
    assert.equal(await store.view.nextDue(), now + 20);
    assert.deepEqual(ids(await take(store, 'b', 9)), [3]);
    assert.deepEqual(await take(store, 'b', 9, now + 19), []);
    assert.deepEqual(ids(await take(store, 'b', 9, now + 50)), [1, 2]);
  },
  async 'actions that demand tags are taken only for those tags, and the demands are known'({ store }) {
    await insert(store, [{}, { tags: 'gpu' }, { tags: 'gpu,ssd' }, { tags: 'gpu' }]);
    assert.deepEqual(await store.view.demandedTags(now), ['gpu', 'gpu,ssd']);
    assert.deepEqual(ids(await take(store, 'a', 9)), [1]);
    const tagged = { owner: 'a', until: now + 9, now, limit: 9 };
    assert.deepEqual(ids(await store.write((tx) => tx.takeActions({ ...tagged, tags: 'gpu' }))), [2, 4]);
    assert.deepEqual(await store.view.demandedTags(now), ['gpu,ssd']);
  },
  async 'what runs on another machine is left alone for a while after its lease ran out'({ store }) {
    await insert(store, [{}, {}, {}]);
    await take(store, 'a', 3, now, now + 10);
    await store.write((tx) =>
      tx.insertAttempts([
        attemptRow(1, { actionId: 1, key: '1-1-a', handle: 'local:here' }),
        attemptRow(2, { actionId: 2, key: '2-1-a', handle: 'local:there' }),
        attemptRow(3, { actionId: 3, key: '3-1-a', handle: 'remote' }),
      ]),
    );
    const takeOver = (at: number) =>
      store.write((tx) =>
        tx.takeOverActions({
          owner: 'b',
          now: at,
          until: at + 1_000,
          limit: 9,
          spare: { handle: 'local:here', since: at - 100 },
        }),
      );
    assert.deepEqual(ids(await takeOver(now + 10)).sort(), [1, 3]);
    assert.deepEqual(ids(await takeOver(now + 110)), [2]);
  },
  async 'a remote job is queued once, taken once and ended once'({ store }) {
    const job = {
      key: '1-1-a',
      owner: 'a',
      tags: '',
      travels: 1,
      millicores: 1000,
      memoryBytes: 0,
      priority: 0,
      job: '{}',
      queuedAt: now,
    };
    const queue = (part: object = {}) => store.write((tx) => tx.queueRemoteJob({ ...job, ...part }));
    assert.equal(await queue(), true);
    assert.equal(await queue(), false);
    await store.write((tx) => tx.fenceRemoteJob('2-1-a', 'a', '{"kind":"lost","reason":""}', now));
    assert.equal(await queue({ key: '2-1-a' }), false);
    await store.write((tx) => tx.takeRemoteJobs(['1-1-a', '2-1-a'], 7));
    await store.write((tx) => tx.takeRemoteJobs(['1-1-a'], 8));
    assert.deepEqual((await store.view.remoteLoad()).taken, [{ workerId: 7, count: 1 }]);
    const end = (workerId: number) =>
      store.write((tx) => tx.endRemoteJob('1-1-a', workerId, '{"kind":"cancelled"}', now));
    assert.equal(await end(8), false);
    assert.equal(await end(7), true);
    assert.equal(await end(7), false);
    assert.deepEqual((await store.view.remoteLoad()).taken, []);
  },
  async 'delayed and free actions share one limit'({ store }) {
    await insert(store, [{ priority: 1 }, {}, {}, {}]);
    await take(store, 'a', 1);
    const set = { owner: null, leaseUntil: now + 5 };
    await store.write((tx) => tx.move('action', 'retry', [{ id: 1, set }], { actor: 'a', at: now }));
    assert.deepEqual(ids(await take(store, 'b', 2, now + 5)), [1, 2]);
    assert.deepEqual(ids(await take(store, 'b', 9, now + 5)), [3, 4]);
  },
  async 'nothing is due when nothing is delayed or owned'({ store }) {
    await insert(store, [{}]);
    assert.equal(await store.view.nextDue(), undefined);
    await take(store, 'a', 1);
    assert.equal(await store.view.nextDue(), now + 1_000);
  },
  async 'an owner extends all that he holds'({ store }) {
    await insert(store, [{}, {}, {}]);
    await take(store, 'a', 2);
    await take(store, 'b', 1);
    assert.equal(await store.write((tx) => tx.extendActions({ owner: 'a', until: now + 9_000 })), 2);
    const taken = await store.write((tx) =>
      tx.takeOverActions({ owner: 'c', until: now + 9_000, now: now + 5_000, limit: 9 }),
    );
    assert.deepEqual(ids(taken), [3]);
  },
  async 'an action is taken over only after its lease has run out; its state stays and its fence rises'({
    store,
  }) {
    await insert(store, [{}, {}]);
    await take(store, 'a', 2);
    await store.write((tx) => tx.move('action', 'submit', [{ id: 2, fence: 1 }], { actor: 'a', at: now }));
    const takeOver = (at: number) =>
      store.write((tx) => tx.takeOverActions({ owner: 'b', until: at + 1_000, now: at, limit: 9 }));
    assert.deepEqual(await takeOver(now + 999), []);
    const taken = await takeOver(now + 1_000);
    assert.deepEqual(taken.map(({ id, state, owner, fence }) => [id, state, owner, fence]).sort(), [
      [1, 'PROCESSING', 'b', 2],
      [2, 'SUBMITTED', 'b', 2],
    ]);
    assert.deepEqual(await takeOver(now + 1_000), []);
  },
  async 'the leases of a dead owner are ended at once'({ store }) {
    await insert(store, [{}, {}, {}]);
    await take(store, 'a', 1);
    await take(store, 'b', 1);
    await take(store, 'c', 1);
    assert.equal(await store.write((tx) => tx.expireActions(['a', 'c', 'nobody'], now)), 2);
    const taken = await store.write((tx) =>
      tx.takeOverActions({ owner: 'd', until: now + 9, now, limit: 9 }),
    );
    assert.deepEqual(ids(taken).sort(), [1, 3]);
  },
  async 'an owner whose lease was lost can change nothing'({ store }) {
    await insert(store, [{}]);
    const [mine] = await take(store, 'a', 1);
    await store.write((tx) =>
      tx.takeOverActions({ owner: 'b', until: now + 9_000, now: now + 1_000, limit: 1 }),
    );
    const [before] = await store.view.actions([1]);
    for (const event of [
      'stage',
      'submit',
      'finish',
      'reuse',
      'skip',
      'retry',
      'release',
      'wait',
      'fail',
      'kill',
    ] as const) {
      const moved = await store.write((tx) =>
        tx.move('action', event, [{ id: 1, fence: mine?.fence ?? -1 }], { actor: 'a', at: now }),
      );
      assert.deepEqual(moved, [], event);
    }
    assert.equal(await store.write((tx) => tx.extendActions({ owner: 'a', until: now + 99_000 })), 0);
    assert.equal(await store.write((tx) => tx.expireActions(['a'], now)), 0);
    assert.deepEqual(await store.view.actions([1]), [before]);
    const finished = await store.write((tx) =>
      tx.move('action', 'finish', [{ id: 1, fence: 2 }], { actor: 'b', at: now }),
    );
    assert.equal(finished.length, 1);
  },
  async 'takers at the same moment share the rows out without overlap'({ store }) {
    await insert(
      store,
      Array.from({ length: 500 }, () => ({})),
    );
    const taken = await Promise.all(Array.from({ length: 50 }, (_, i) => take(store, `o${i}`, 10)));
    const all = taken.flatMap(ids).sort((a, b) => a - b);
    assert.deepEqual(
      all,
      Array.from({ length: 500 }, (_, i) => i + 1),
    );
  },
  async 'a doomed dataset is taken when nothing claims it, and taken over from a dead manager'({ store }) {
    const doom = (owner: string, at: number) =>
      store.write((tx) => tx.takeDoomed({ owner, until: at + 1_000, now: at, limit: 9 }));
    await store.write(async (tx) => {
      await tx.insertDatasets([storedRow(1), storedRow(2), storedRow(3), datasetRow(4)]);
      await tx.insertEdges([edgeRow(1, 2, { state: 'HELD' }), edgeRow(2, 4)]);
      await tx.move('dataset', 'giveUp', [{ id: 1 }, { id: 2 }], { actor: 'a', at: now });
    });
    const taken = await doom('a', now);
    assert.partialDeepStrictEqual(taken, [{ id: 1, state: 'PROCESSING', owner: 'a', fence: 1 }]);
    assert.equal(taken.length, 1);
    assert.deepEqual(await doom('b', now + 999), []);
    assert.partialDeepStrictEqual(await doom('b', now + 1_000), [
      { id: 1, state: 'PROCESSING', owner: 'b', fence: 2 },
    ]);
    const stale = await store.write((tx) =>
      tx.move('dataset', 'remove', [{ id: 1, fence: 1 }], { actor: 'a', at: now }),
    );
    assert.deepEqual(stale, []);
    await store.write(async (tx) => {
      await tx.move('dataset', 'remove', [{ id: 1, fence: 2 }], { actor: 'b', at: now });
      await tx.releaseEdges('action', [1]);
    });
    const late = await doom('c', now + 5_000);
    assert.deepEqual(late.map(({ id, state, fence }) => [id, state, fence]).sort(), [
      [1, 'DELETING', 3],
      [2, 'PROCESSING', 1],
    ]);
    const events = (await store.view.journal({ limit: 99 })).map(
      (entry) => `${entry.event} ${entry.entityId}`,
    );
    assert.deepEqual(events, ['giveUp 1', 'giveUp 2', 'take 1', 'remove 1', 'take 2']);
  },
  async 'a worker keeps its lease by heartbeats until it is declared lost'({ store }) {
    await store.write((tx) => tx.insertWorker(workerRow(1)));
    const beat = () => store.write((tx) => tx.heartbeat(1, now, now + 500, 'busy'));
    assert.equal(await beat(), true);
    assert.partialDeepStrictEqual((await store.view.workers({ live: true }))[0], {
      leaseUntil: now + 500,
      doing: 'busy',
    });
    await store.write((tx) => tx.move('worker', 'lose', [{ id: 1 }], { actor: 'b', at: now }));
    assert.equal(await beat(), false);
    assert.deepEqual(await store.view.workers({ live: true }), []);
  },
};
