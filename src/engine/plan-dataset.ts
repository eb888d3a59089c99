// What a decision means for the dataset of its node: a row is born, a deleted one is planned again, a stored one promoted or rescued.
import type { MoveContext } from '../core/ports/store.ts';
import type { ComputedRow, DatasetFact, Decision } from '../core/reuse-planner.ts';
import type { PlanChanges } from './plan-changes.ts';
import type { GraphNode } from './plan-graph.ts';

/** How long a dataset is wanted: as a result, until it is given up, or only for its consumers. */
export type Lifespan = 'leaf' | 'stored' | 'brief';

const planned = { leaf: 'TO_LEAF', stored: 'TO_STORE', brief: 'TO_DELETE' } as const;
const restored = { leaf: 'restoreLeaf', stored: 'restore', brief: 'restoreBriefly' } as const;

/** Adds to the changes what becomes of the dataset. */
export function planDataset(
  changes: PlanChanges,
  node: GraphNode,
  lifespan: Lifespan,
  decision: Decision,
  actionId: number,
  datasetId: number | null,
  realm: string,
  context: MoveContext,
): void {
  const moves = changes.datasetMoves;
  const leaf = lifespan === 'leaf';
  // What is kept only for its consumers is claimed by them; it need not be rescued.
  const briefly = lifespan === 'brief';
  if (decision.do === 'reuse') {
    if (leaf) promote(moves, decision.dataset);
    else if (decision.rescue && !briefly) moves.rescue.push({ id: decision.dataset.id });
  } else if (decision.do === 'reuse-members') {
    for (const { dataset } of decision.members) {
      if (leaf) promote(moves, dataset);
      else if (dataset.state === 'STORED_TO_DELETE' && !briefly) moves.rescue.push({ id: dataset.id });
    }
  } else if (decision.do === 'join') {
    if (leaf && decision.dataset.state !== 'TO_LEAF') moves.promote.push({ id: decision.dataset.id });
    else if (decision.dataset.state === 'TO_DELETE' && !briefly) {
      moves.keep.push({ id: decision.dataset.id });
    }
  } else if (decision.do === 'compute') {
    const id = datasetId as number;
    if (decision.row.kind === 'restore') {
      const fact = decision.row.dataset;
      const detail = { reason: decision.reason.code };
      if (fact.vanished) {
        moves.vanish.push({
          id,
          set: { deletedAt: context.at, deletedReason: 'files were missing' },
          detail,
        });
      }
      moves[restored[lifespan]].push({
        id,
        set: { producerId: actionId, sameAs: null, removalBeganAt: null, deletedReason: null },
        detail,
      });
      return;
    }
    if (decision.row.kind === 'supersede')
      changes.superseded.push({ old: decision.row.dataset.id, fresh: id });
    changes.datasets.push({
      id,
      state: planned[lifespan],
      signature: node.signature,
      realm,
      isCurrent: decision.row.kind === 'generation' ? 0 : 1,
      definition: definitionOf(node, decision.row),
      physical: null,
      inputs: null,
      node: '',
      name: node.node.name,
      producerId: actionId,
      sameAs: null,
      managed: node.managed ? 1 : 0,
      keep: node.node.policy.keep,
      location: null,
      sizeBytes: null,
      fileCount: null,
      digest: null,
      value: null,
      computeMs: null,
      cpuMs: null,
      uses: 0,
      nondeterministic: 0,
      removalBeganAt: null,
      createdAt: context.at,
      storedAt: null,
      usedAt: null,
      deletedAt: null,
      deletedReason: null,
    });
  }
}

/** What is held as it was found (`holdPlanned`) need not be made what it is. */
function promote(moves: PlanChanges['datasetMoves'], { id, state }: DatasetFact): void {
  if (state !== 'LEAF') moves.promote.push({ id });
}

function definitionOf(node: GraphNode, row: ComputedRow): string {
  if (row.kind === 'supersede') return row.dataset.definition;
  return node.definition ?? (node.redefinition as string);
}
