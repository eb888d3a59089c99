// A transaction as the engine makes them all the time: an attempt ended well. Its dataset is published, its claims end, its child
// becomes READY. All of it happens or nothing.
import assert from 'node:assert/strict';
import type { Store } from '../../src/core/ports/store.ts';
import { actionRow, attemptRow, datasetRow, edgeRow, epoch, runRow, storedRow } from './rows.ts';

const by = { actor: 'w', at: epoch };

export async function prepareOne(store: Store): Promise<void> {
  await store.write(async (tx) => {
    await tx.insertRun(runRow(1));
    await tx.insertDatasets([storedRow(1), datasetRow(2), datasetRow(3)]);
    await tx.insertActions([actionRow(2), actionRow(3, { state: 'WAITING' })]);
    await tx.insertEdges([edgeRow(2, 1, { state: 'HELD' }), edgeRow(3, 2)]);
    await tx.takeActions({ owner: 'w', until: epoch + 9, now: epoch, limit: 1 });
    await tx.insertAttempts([attemptRow(2)]);
    await tx.move('action', 'submit', [{ id: 2, fence: 1 }], by);
  });
}

export function completeOne(store: Store): Promise<void> {
  return store.write(async (tx) => {
    await tx.move('action', 'finish', [{ id: 2, fence: 1, set: { endedAt: epoch } }], by);
    await tx.move('attempt', 'succeed', [{ id: 2, set: { exitCode: 0 } }], by);
    const set = { location: 'd/2', digest: 'x', sizeBytes: 7 };
    await tx.move('dataset', 'publish', [{ id: 2, set }], by);
    await tx.insertLineage([{ datasetId: 2, slot: 'in', position: '', parentId: 1 }]);
    await tx.releaseEdges('action', [2]);
    const edges = await tx.holdEdges([2]);
    const waiting = edges.map((edge) => edge.holderId);
    await tx.lockActions(waiting);
    const unblocked = await tx.unblocked(waiting);
    await tx.move(
      'action',
      'ready',
      unblocked.map((id) => ({ id, set: { readyAt: epoch } })),
      by,
    );
    await tx.runsWithoutLiveActions([1]);
    tx.notify('ready');
  });
}

/** True when all of it happened, false when nothing did; throws on anything between. */
export async function isComplete(store: Store): Promise<boolean> {
  const { view } = store;
  const seen = {
    actions: (await view.actions([2, 3])).map((row) => row.state),
    attempt: (await view.attempts([2])).map((row) => row.state),
    dataset: (await view.datasets([2])).map((row) => [row.state, row.sizeBytes]),
    lineage: (await view.parentsOf([2])).length,
    edges: (await view.edgesOf('action', [2, 3])).map((edge) => edge.state),
    journal: (await view.journal({ limit: 99 })).map((entry) => entry.event),
    totals: (await view.datasetTotals()).map((row) => [row.state, row.count, row.sizeBytes]),
  };
  const before = ['take', 'submit'];
  const nothing = {
    actions: ['SUBMITTED', 'WAITING'],
    attempt: ['SUBMITTED'],
    dataset: [['TO_STORE', null]],
    lineage: 0,
    edges: ['HELD', 'WAITING'],
    journal: before,
    totals: [
      ['STORED', 1, 100],
      ['TO_STORE', 2, 0],
    ],
  };
  const all = {
    actions: ['FINISHED', 'READY'],
    attempt: ['SUCCEEDED'],
    dataset: [['STORED', 7]],
    lineage: 1,
    edges: ['RELEASED', 'HELD'],
    journal: [...before, 'finish', 'succeed', 'publish', 'ready'],
    totals: [
      ['STORED', 2, 107],
      ['TO_STORE', 1, 0],
    ],
  };
  const complete = seen.actions[0] === 'FINISHED';
  assert.deepEqual(seen, complete ? all : nothing);
  return complete;
}
