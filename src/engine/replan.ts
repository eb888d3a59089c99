// Plans some actions of a live run again: because what they had joined ended without a dataset, or because files were found
// missing. Ancestors that were skipped or reused come back to life where they are needed.
import type { MoveContext, StoreTransaction } from '../core/ports/store.ts';
import { type Reason, reasonJson } from '../core/reason.ts';
import { type Decision, planReuse } from '../core/reuse-planner.ts';
import type { ActionRow } from '../core/rows.ts';
import { applyPlan } from './apply-plan.ts';
import { gatherFacts } from './gather-facts.ts';
import { type GraphNode, liveGraph } from './plan-graph.ts';
import { holdReused } from './submit-run.ts';

/**
 * `targets` are actions that have nobody who computes for them. Returns those that cannot be computed because something above
 * them failed, with the reason; the caller ends them.
 */
export async function replan(
  tx: StoreTransaction,
  runId: number,
  targets: readonly ActionRow[],
  why: Reason,
  context: MoveContext,
): Promise<{ action: ActionRow; reason: Reason }[]> {
  const [run] = await tx.runs([runId]);
  if (!run) return [];
  const wanted = new Set(targets.map((action) => action.id));
  // A target is planned as if it were new; everything else counts as it is.
  const graph = (await liveGraph(tx, runId)).map((node) =>
    node.action && wanted.has(node.action.id) ? withoutState(node) : node,
  );
  const indices = graph.flatMap((node, i) => (node.action && wanted.has(node.action.id) ? [i] : []));
  let decisions: Decision[];
  do {
    decisions = planReuse(graph, indices, await gatherFacts(tx, graph, [run.realm]));
  } while (!(await holdReused(tx, decisions, context.at)));
  for (const i of indices) {
    const decision = decisions[i] as Decision;
    if (decision.do === 'compute') decisions[i] = { ...decision, reason: why };
  }
  await endReused(tx, graph, decisions, indices, context);
  await applyPlan(tx, { runId, realm: run.realm, priority: run.priority }, graph, decisions, context);
  return indices.flatMap((i) => {
    const decision = decisions[i] as Decision;
    return decision.do === 'blocked'
      ? [{ action: graph[i]?.action as ActionRow, reason: decision.reason }]
      : [];
  });
}

function withoutState(node: GraphNode): GraphNode {
  return Object.create(node, { current: { value: undefined, enumerable: true } }) as GraphNode;
}

/** A target whose dataset turns out to be available after all ends as REUSED. */
async function endReused(
  tx: StoreTransaction,
  graph: readonly GraphNode[],
  decisions: readonly Decision[],
  indices: readonly number[],
  context: MoveContext,
): Promise<void> {
  for (const i of indices) {
    const action = graph[i]?.action as ActionRow;
    const decision = decisions[i] as Decision;
    if (decision.do !== 'reuse') continue;
    const set = { datasetId: decision.dataset.id, reason: reasonJson(decision.reason), endedAt: context.at };
    await tx.move('action', 'reuse', [{ id: action.id, set }], context);
    await tx.releaseEdges('join', [action.id]);
  }
}
