// Restores a deleted dataset from its provenance alone: the recorded definitions of it and its ancestors form a workflow, which is
// planned like any other, so stored ancestors are reused. The completion compares digests (I10).
import { readNode } from '../core/node-text.ts';
import type { StoreView } from '../core/ports/store.ts';
import type { DatasetRow } from '../core/rows.ts';
import type { SignedDefinition } from '../core/signature.ts';
import type { NodeDefinition, ParentLink, WorkflowDefinition } from '../core/workflow.ts';
import type { EngineContext } from './engine-context.ts';
import { engineErrors } from './error-codes.ts';
import { type SubmittedRun, submitRun } from './submit-run.ts';

export interface RestoreRequest {
  readonly userName: string;
  readonly submissionKey: string;
}

/** Submits the run that computes the dataset again, as a result of that run. */
export async function restoreDataset(
  context: EngineContext,
  dataset: DatasetRow,
  request: RestoreRequest,
): Promise<SubmittedRun> {
  const { workflow, signed } = await provenanceWorkflow(context.store.view, dataset);
  return submitRun(context, {
    ...request,
    workflow,
    signed,
    realm: dataset.realm,
    readable: [dataset.realm],
  });
}

export interface Provenance {
  readonly workflow: WorkflowDefinition;
  /** The recorded signatures: they count, whatever stood between an action and its parents then. */
  readonly signed: ReadonlyMap<string, SignedDefinition>;
}

/** The workflow that leads to a dataset, made from what is recorded about it and its ancestors. */
export async function provenanceWorkflow(view: StoreView, dataset: DatasetRow): Promise<Provenance> {
  const rows = new Map([[dataset.id, dataset]]);
  const links = new Map<number, ParentLink[]>();
  for (let layer = [dataset.id]; layer.length > 0; ) {
    const parents = await view.parentsOf(layer);
    const missing = [...new Set(parents.map((row) => row.parentId))].filter((id) => !rows.has(id));
    for (const row of await view.datasets(missing)) rows.set(row.id, row);
    for (const { datasetId, slot, position, parentId } of parents) {
      const link = { slot, position, key: keyOf(rows.get(parentId) as DatasetRow) };
      const known = links.get(datasetId);
      if (known) known.push(link);
      else links.set(datasetId, [link]);
    }
    layer = missing;
  }
  const nodes = [...rows.values()].map((row) => node(row, links.get(row.id) ?? [], row.id === dataset.id));
  const { name } = dataset;
  return {
    workflow: { name: `restore ${name}`, language: 'provenance', failurePolicy: 'stop', nodes },
    signed: new Map(
      [...rows.values()].map((row) => [keyOf(row), { signature: row.signature, definition: row.definition }]),
    ),
  };
}

function keyOf(row: DatasetRow): string {
  return `${row.name}@${row.id}`;
}

function node(row: DatasetRow, parents: readonly ParentLink[], result: boolean): NodeDefinition {
  if (row.node === '') throw engineErrors.RESTORE_IMPOSSIBLE(row.signature, 'it was never computed');
  const recorded = readNode(row.node);
  return {
    ...recorded,
    key: keyOf(row),
    parents,
    result,
    policy: { ...recorded.policy, forced: false, outputPath: undefined },
  };
}
