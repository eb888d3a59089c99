// Everything that one plan changes, collected first and written in few statements.
import type { Move, MoveContext, NewRow, StoreTransaction } from '../core/ports/store.ts';
import type { ActionRow, DatasetRow, EdgeRow } from '../core/rows.ts';
import { letGo } from './let-go.ts';

type DatasetMove = 'promote' | 'rescue' | 'keep' | 'restore' | 'restoreLeaf' | 'restoreBriefly' | 'vanish';

export class PlanChanges {
  readonly actions: NewRow<ActionRow>[] = [];
  readonly datasets: NewRow<DatasetRow>[] = [];
  readonly edges: EdgeRow[] = [];
  readonly revived: Move[] = [];
  readonly changed: { id: number; set: Record<string, string | number | null> }[] = [];
  readonly ready: Move[] = [];
  readonly superseded: { old: number; fresh: number }[] = [];
  readonly datasetMoves: Record<DatasetMove, Move[]> = {
    vanish: [],
    promote: [],
    rescue: [],
    keep: [],
    restore: [],
    restoreLeaf: [],
    restoreBriefly: [],
  };
}

/** A plan is new when none of its nodes is an action already: then its run has no claims yet. */
export async function writeChanges(
  tx: StoreTransaction,
  changes: PlanChanges,
  isNew: boolean,
  context: MoveContext,
): Promise<void> {
  for (const { old } of changes.superseded) await tx.updateDataset(old, { isCurrent: 0 });
  await tx.insertDatasets(changes.datasets);
  for (const { old, fresh } of changes.superseded) await tx.repointEdges(old, fresh);
  for (const [event, moves] of Object.entries(changes.datasetMoves)) {
    await tx.move('dataset', event as DatasetMove, distinct(moves), context);
  }
  await tx.insertActions(changes.actions);
  if (changes.revived.length > 0) {
    const ids = changes.revived.map((move) => move.id);
    await tx.move('action', 'revive', changes.revived, context);
    for (const { id, set } of changes.changed) await tx.setActionColumns(id, set);
    await tx.deleteEdges([...(await tx.edgesOf('action', ids)), ...(await tx.edgesOf('join', ids))]);
  }
  const renewed = isNew ? [] : await heldResults(tx, changes.edges);
  await tx.deleteEdges(renewed);
  await tx.insertEdges(changes.edges);
  await letGo(
    tx,
    renewed.flatMap((edge) => edge.datasetId ?? []),
    context,
  );
  await tx.move('action', 'ready', changes.ready, context);
}

/** Result claims that a run has already and that are about to be written again. */
async function heldResults(tx: StoreTransaction, edges: readonly EdgeRow[]): Promise<EdgeRow[]> {
  const results = edges.filter((edge) => edge.holder === 'run');
  if (results.length === 0) return [];
  const slots = new Set(results.map((edge) => edge.slot));
  const existing = await tx.edgesOf('run', [(results[0] as EdgeRow).holderId]);
  return existing.filter((edge) => slots.has(edge.slot));
}

function distinct(moves: readonly Move[]): Move[] {
  return [...new Map(moves.map((move) => [move.id, move])).values()];
}
