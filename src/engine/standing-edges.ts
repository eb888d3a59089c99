// The edges through which a consumer gets what stands for one of its parents: one dataset, several, or something to wait for.
import type { Decision } from '../core/reuse-planner.ts';
import type { EdgeRow } from '../core/rows.ts';
import { nestedPosition } from './plan-graph.ts';

/**
 * `wanted` says who wants it, under which slot and position; `producerId` is the action that stands for the parent in the run, and
 * `datasetId` its dataset, undefined while it has not grown.
 */
export function standingEdges(
  wanted: EdgeRow,
  decision: Decision,
  producerId: number,
  datasetId: number | undefined,
): EdgeRow[] {
  switch (decision.do) {
    case 'reuse':
      return [{ ...wanted, producerId, datasetId: decision.dataset.id, state: 'HELD' }];
    case 'reuse-members':
      return decision.members.map(({ dataset, position }) => ({
        ...wanted,
        producerId,
        position: nestedPosition(wanted.position, position),
        datasetId: dataset.id,
        state: 'HELD',
      }));
    default:
      return [{ ...wanted, producerId, datasetId: datasetId ?? null, state: 'WAITING' }];
  }
}

/** An edge of an action before it is known what it points to. */
export function wantedEdge(
  holder: 'action' | 'join',
  holderId: number,
  link: { readonly slot: string; readonly position: string; readonly optional: boolean },
): EdgeRow {
  return {
    holder,
    holderId,
    slot: link.slot,
    position: link.position,
    datasetId: null,
    producerId: null,
    optional: link.optional ? 1 : 0,
    state: 'WAITING',
    expiresAt: null,
  };
}
