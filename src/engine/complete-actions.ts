// The success callback: attempts ended well and their outputs are published. Actions finish, datasets get size, digest and state,
// claims of the actions end, and children become READY, all in one transaction (I8: repeating it changes nothing).
import type { PublishedFiles } from '../core/ports/storage.ts';
import type { DatasetFactRow, Move, MoveContext, StoreTransaction } from '../core/ports/store.ts';
import type { ActionRow, DatasetRow, EdgeRow } from '../core/rows.ts';
import { closeRuns } from './close-runs.ts';
import { deliverDatasets } from './deliver-datasets.ts';

export interface Completion {
  readonly action: ActionRow;
  readonly attemptId: number;
  readonly files: Pick<PublishedFiles, 'location' | 'sizeBytes' | 'fileCount' | 'digest'>;
  /** JSON value that the action type attached. */
  readonly value: string;
  /** Null when it is no longer known from which bytes it was made. */
  readonly physical: string | null;
  /** Canonical JSON slot → digests of the inputs. */
  readonly inputs: string | null;
  readonly edges: readonly EdgeRow[];
  readonly startedAt: number;
  readonly endedAt: number;
  readonly exitCode: number;
  readonly cpuMs: number | null;
  readonly peakBytes: number | null;
}

/** Completes what its manager still owns; returns the ids of those actions. */
export async function completeActions(
  tx: StoreTransaction,
  completions: readonly Completion[],
  context: MoveContext,
): Promise<Set<number>> {
  const finished = await tx.move(
    'action',
    'finish',
    completions.map(({ action, endedAt }) => ({
      id: action.id,
      fence: action.fence,
      set: { endedAt, owner: null },
    })),
    context,
  );
  const won = new Set(finished.map((one) => one.id));
  const mine = completions.filter(({ action }) => won.has(action.id));
  if (mine.length === 0) return won;
  await tx.move('attempt', 'succeed', mine.map(attemptMove), context);
  const available = await publishDatasets(tx, mine, context);
  await tx.insertLineage(
    mine.flatMap(({ action, edges }) =>
      edges.flatMap((edge) =>
        edge.datasetId === null
          ? []
          : [
              {
                datasetId: action.datasetId as number,
                slot: edge.slot,
                position: edge.position,
                parentId: edge.datasetId,
              },
            ],
      ),
    ),
  );
  await tx.releaseEdges('action', [...won]);
  const joinedRuns = await deliverDatasets(tx, available, context);
  await closeRuns(tx, [...new Set([...mine.map(({ action }) => action.runId), ...joinedRuns])], context);
  tx.notify('run');
  return won;
}

function attemptMove(completion: Completion): Move {
  const { attemptId, startedAt, endedAt, exitCode, cpuMs, peakBytes } = completion;
  return { id: attemptId, set: { startedAt, endedAt, exitCode, cpuMs, peakBytes, owner: null } };
}

/** Publishes the rows and settles what a recomputation found out; returns the datasets that are available now. */
async function publishDatasets(
  tx: StoreTransaction,
  completions: readonly Completion[],
  context: MoveContext,
): Promise<number[]> {
  const ids = completions.map(({ action }) => action.datasetId as number);
  const facts = new Map((await tx.datasetFactsById(ids)).map((row) => [row.id, row]));
  const before = await comparable(tx, [...facts.values()]);
  const published = await tx.move(
    'dataset',
    'publish',
    completions.map((completion) =>
      publishMove(completion, facts.get(completion.action.datasetId as number)),
    ),
    context,
  );
  const available = published.map((one) => one.id);
  if (published.some((one) => one.to === 'STORED_TO_DELETE')) tx.notify('doomed');
  for (const completion of completions) {
    const row = before.get(completion.action.datasetId as number);
    if (!row) continue;
    if (row.digest !== null && !isEqual(row, completion)) {
      await markDifference(tx, row, completion, row.digest, context);
    }
    if (row.isCurrent === 0 && row.managed === 1) {
      const twin = await settleGeneration(tx, row, completion, context);
      if (twin !== undefined) available.push(twin);
    }
  }
  return available;
}

/** Those that were stored before, or stand beside a current one: most are neither, and whole rows are large. */
async function comparable(
  tx: StoreTransaction,
  facts: readonly DatasetFactRow[],
): Promise<Map<number, DatasetRow>> {
  const ids = facts.filter((row) => row.digest !== null || row.isCurrent === 0).map((row) => row.id);
  return new Map((ids.length > 0 ? await tx.datasets(ids) : []).map((row) => [row.id, row]));
}

function publishMove(completion: Completion, row: DatasetFactRow | undefined): Move {
  const { action, files, value, physical, inputs, startedAt, endedAt, cpuMs } = completion;
  return {
    id: action.datasetId as number,
    set: {
      location: files.location,
      sizeBytes: files.sizeBytes,
      fileCount: files.fileCount,
      digest: files.digest,
      value,
      physical,
      inputs,
      node: action.node,
      computeMs: Math.max(0, endedAt - startedAt),
      cpuMs,
      uses: (row?.uses ?? 0) + 1,
      storedAt: endedAt,
      usedAt: endedAt,
      deletedAt: null,
      // What was given up while it was computed goes for that reason when its consumers are done.
      deletedReason: row?.state === 'TO_DELETE' ? row.deletedReason : null,
      removalBeganAt: null,
      producerId: action.id,
    },
    detail: { sizeBytes: files.sizeBytes, digest: files.digest },
  };
}

/** Consumers see the files and the value; a dataset without files may differ in its value alone. */
function isEqual(row: DatasetRow, { files, value }: Completion): boolean {
  return row.digest === files.digest && row.value === value;
}

/** Equal signature, other bytes: the action is not deterministic, which is said, never hidden (I10). */
async function markDifference(
  tx: StoreTransaction,
  row: DatasetRow,
  completion: Completion,
  expected: string,
  context: MoveContext,
): Promise<void> {
  await tx.updateDataset(row.id, { nondeterministic: 1 });
  const detail = { expected, found: completion.files.digest };
  await tx.note('dataset', row.id, completion.action.runId, 'differs', detail, context);
}

/**
 * A forced computation is compared with the current dataset of its signature: equal bytes make it redundant, different bytes make
 * it the current one. Returns the dataset that stands for it when it is redundant.
 */
async function settleGeneration(
  tx: StoreTransaction,
  row: DatasetRow,
  completion: Completion,
  context: MoveContext,
): Promise<number | undefined> {
  const [current] = await tx.datasetsBySignature([row.signature], [row.realm]);
  if (!current) {
    await tx.updateDataset(row.id, { isCurrent: 1 });
    return undefined;
  }
  if (current.state.startsWith('TO_')) return undefined;
  const held = (await tx.touchDatasets([current.id], context.at)).length === 1;
  if (held && isEqual(current, completion)) {
    const edges = await tx.edgesOn([row.id]);
    await tx.repointEdges(row.id, current.id);
    await tx.setActionColumns(completion.action.id, { datasetId: current.id });
    const wanted = edges.some((edge) => edge.holder === 'run') ? 'promote' : 'rescue';
    await tx.move('dataset', wanted, [{ id: current.id }], context);
    await tx.move('dataset', 'demote', [{ id: row.id }], context);
    await tx.move('dataset', 'giveUp', [{ id: row.id, set: { sameAs: current.id } }], context);
    tx.notify('doomed');
    return current.id;
  }
  await tx.updateDataset(current.id, { isCurrent: 0 });
  await tx.updateDataset(row.id, { isCurrent: 1 });
  if (held) {
    await markDifference(tx, current, completion, current.digest ?? '', context);
    await tx.updateDataset(row.id, { nondeterministic: 1 });
    await tx.move('dataset', 'giveUp', [{ id: current.id }], { ...context, unclaimed: true });
    tx.notify('doomed');
  }
  return undefined;
}
