// Plans some actions of a live run again: because what they had joined ended without a dataset, or because files were found
// missing. Ancestors that were skipped or reused come back to life where they are needed, and those who wait get new edges to
// whatever stands for their parents now.
import type { MoveContext, StoreTransaction } from '../core/ports/store.ts';
import { type Reason, reasonJson } from '../core/reason.ts';
import { type Decision, planReuse } from '../core/reuse-planner.ts';
import type { ActionRow, EdgeRow } from '../core/rows.ts';
import { type AppliedPlan, applyPlan } from './apply-plan.ts';
import { readyActions } from './deliver-datasets.ts';
import { gatherFacts } from './gather-facts.ts';
import { holdPlanned } from './hold-planned.ts';
import { type GraphNode, liveGraph } from './plan-graph.ts';
import { standingEdges, wantedEdge } from './standing-edges.ts';

export interface ReplanRequest {
  readonly runId: number;
  /** Actions that have nobody who computes for them. */
  readonly targets: readonly ActionRow[];
  /** WAITING actions of the run that want what the targets, or others that are at it already, give. */
  readonly consumers: readonly number[];
  readonly why: Reason;
}

export interface Replanned {
  /** Targets that cannot be computed because something above them failed. */
  readonly blocked: readonly { readonly action: ActionRow; readonly reason: Reason }[];
  /** The dataset that stands for each target now; undefined for a growing or blocked one. */
  datasetOf(actionId: number): number | undefined;
}

export async function replan(
  tx: StoreTransaction,
  request: ReplanRequest,
  context: MoveContext,
): Promise<Replanned> {
  const { runId, targets, why } = request;
  const wanted = new Set(targets.map((action) => action.id));
  await tx.lockPlanning();
  const [run] = await tx.runs([runId]);
  if (!run) throw new Error(`run ${runId} has actions but no row`);
  const missing = await missingEdges(tx, request.consumers);
  const { graph, indices, decisions } = await decide(tx, runId, run.realm, wanted, missing, context);
  for (const i of indices) {
    const decision = decisions[i] as Decision;
    if (decision.do === 'compute') decisions[i] = { ...decision, reason: why };
  }
  await endReused(tx, graph, decisions, indices, context);
  const target = { runId, realm: run.realm, priority: run.priority };
  const applied = await applyPlan(tx, target, graph, decisions, context);
  await renewEdges(tx, graph, decisions, applied, missing, context);
  const datasets = new Map(indices.map((i) => [graph[i]?.action?.id, applied.datasetIds[i]]));
  return {
    blocked: indices.flatMap((i) => {
      const decision = decisions[i] as Decision;
      return decision.do === 'blocked'
        ? [{ action: graph[i]?.action as ActionRow, reason: decision.reason }]
        : [];
    }),
    datasetOf: (actionId) => datasets.get(actionId),
  };
}

interface Decided {
  readonly graph: readonly GraphNode[];
  readonly indices: readonly number[];
  readonly decisions: Decision[];
}

async function decide(
  tx: StoreTransaction,
  runId: number,
  realm: string,
  wanted: ReadonlySet<number>,
  missing: readonly EdgeRow[],
  context: MoveContext,
): Promise<Decided> {
  for (;;) {
    // A target is planned as if it were new; everything else counts as it is.
    const graph = (await liveGraph(tx, runId)).map((node) =>
      node.action && wanted.has(node.action.id) ? withoutState(node) : node,
    );
    const at = new Map(graph.map((node, i) => [node.action?.id, i]));
    const indices = [...wanted].map((id) => at.get(id) as number);
    const producers = missing.flatMap((edge) => at.get(edge.producerId ?? undefined) ?? []);
    const decisions = planReuse(graph, [...indices, ...producers], await gatherFacts(tx, graph, [realm]));
    if (await holdPlanned(tx, graph, decisions, context.at)) return { graph, indices, decisions };
  }
}

function withoutState(node: GraphNode): GraphNode {
  return Object.create(node, { current: { value: undefined, enumerable: true } }) as GraphNode;
}

/** A target whose dataset turns out to be available after all needs no computation. */
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
    const set = { datasetId: decision.dataset.id, reason: reasonJson(decision.reason) };
    await tx.setActionColumns(action.id, set);
    await tx.move('action', 'reuse', [{ id: action.id, set: { endedAt: context.at } }], context);
    await tx.releaseEdges('join', [action.id]);
  }
}

/** What the consumers still wait for. */
async function missingEdges(tx: StoreTransaction, consumers: readonly number[]): Promise<EdgeRow[]> {
  if (consumers.length === 0) return [];
  return (await tx.edgesOf('action', consumers)).filter((edge) => edge.state === 'WAITING');
}

/** Whoever waits gets the edges that the new plan would have given to it. */
async function renewEdges(
  tx: StoreTransaction,
  graph: readonly GraphNode[],
  decisions: readonly Decision[],
  applied: AppliedPlan,
  missing: readonly EdgeRow[],
  context: MoveContext,
): Promise<void> {
  // Whoever waits for something blocked ends with it, by the edges that it has.
  const blocked = new Set(applied.actionIds.filter((_, i) => decisions[i]?.do === 'blocked'));
  const open = missing.filter((edge) => !blocked.has(edge.producerId ?? -1));
  if (open.length === 0) return;
  const pairs = new Set(open.map((edge) => `${edge.holderId} ${edge.producerId}`));
  const holders = [...new Set(open.map((edge) => edge.holderId))];
  const old = (await tx.edgesOf('action', holders)).filter((edge) =>
    pairs.has(`${edge.holderId} ${edge.producerId}`),
  );
  const fresh = graph.flatMap((node, consumer) => {
    const holderId = applied.actionIds[consumer] as number;
    if (!holders.includes(holderId)) return [];
    return node.parents.flatMap((link) => {
      const producerId = applied.actionIds[link.node] as number;
      if (!pairs.has(`${holderId} ${producerId}`)) return [];
      const decision = decisions[link.node] as Decision;
      return standingEdges(
        wantedEdge('action', holderId, link),
        decision,
        producerId,
        applied.datasetIds[link.node],
      );
    });
  });
  await tx.deleteEdges(old);
  await tx.insertEdges(fresh);
  await readyActions(tx, holders, context);
}
