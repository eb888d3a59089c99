// Expansion: a growing action, once its inputs are known, inserts further actions in one transaction. Whoever waited for it waits for
// the actions that stand for it from then on; what stood for it is remembered under its signature.
import type { Growth } from '../core/ports/action-type.ts';
import type { MoveContext, StoreTransaction } from '../core/ports/store.ts';
import { type Decision, planReuse } from '../core/reuse-planner.ts';
import type { ActionRow, EdgeRow } from '../core/rows.ts';
import type { NodeDefinition } from '../core/workflow.ts';
import { type AppliedPlan, applyPlan } from './apply-plan.ts';
import { closeRuns } from './close-runs.ts';
import { readyActions } from './deliver-datasets.ts';
import { endActions } from './end-actions.ts';
import { gatherFacts } from './gather-facts.ts';
import { type GraphNode, type GrownNode, liveGraph, memberPosition } from './plan-graph.ts';
import { holdReused } from './submit-run.ts';

/** Returns false when the action is no longer the caller's. */
export async function growAction(
  tx: StoreTransaction,
  action: ActionRow,
  growth: Growth,
  context: MoveContext,
): Promise<boolean> {
  if (growth.skipped !== undefined) {
    const reason = { code: 'CONDITION_FALSE', detail: growth.skipped } as const;
    return (await endActions(tx, [{ action, event: 'skip', reason, fenced: true }], context)).has(action.id);
  }
  await tx.lockPlanning();
  const grown: GrownNode = { results: growth.results, list: growth.list };
  const set = { grown: JSON.stringify(grown), endedAt: context.at, owner: null };
  const moved = await tx.move('action', 'finish', [{ id: action.id, fence: action.fence, set }], context);
  const [run] = await tx.runs([action.runId]);
  if (moved.length === 0 || !run) return false;

  const { graph, decisions } = await planGrowth(tx, action, growth, run.realm, context);
  const target = { runId: run.id, realm: run.realm, priority: run.priority };
  const applied = await applyPlan(tx, target, graph, decisions, context);
  const index = new Map(graph.map((node, i) => [node.key, i]));
  const results = growth.results.map((key) => index.get(key) as number);
  await rewire(tx, action, growth, results, decisions, applied, context);
  await tx.releaseEdges('action', [action.id]);
  const members = results.map((i) => applied.datasetIds[i]);
  if (members.every((id) => id !== undefined)) {
    await tx.putGrowth(action.signature, run.realm, members as number[], context.at);
  }
  await closeRuns(tx, [run.id], context);
  tx.notify('run');
  return true;
}

async function planGrowth(
  tx: StoreTransaction,
  action: ActionRow,
  growth: Growth,
  realm: string,
  context: MoveContext,
): Promise<{ graph: GraphNode[]; decisions: Decision[] }> {
  const inserted = growth.nodes.map((node) => inherit(node, action, growth));
  const own = new Set(inserted.map((node) => node.key));
  const referenced = [...new Set(inserted.flatMap((node) => node.parents.map((link) => link.key)))].filter(
    (key) => !own.has(key),
  );
  let graph = await liveGraph(tx, action.runId, inserted, action.id, referenced);
  for (;;) {
    const wanted = graph.flatMap((node, i) =>
      !node.action && (isResult(node, growth) || node.forced) ? [i] : [],
    );
    const decisions = planReuse(graph, wanted, await gatherFacts(tx, graph, [realm]));
    // A parent that has to come back to life needs its own ancestors in the picture.
    const revives = graph.some(
      (node, i) => node.action && !['reuse', 'live', 'leave'].includes(decisions[i]?.do ?? ''),
    );
    if (revives && graph.length <= inserted.length + referenced.length) {
      graph = await liveGraph(tx, action.runId, inserted, action.id);
    } else if (await holdReused(tx, decisions, context.at)) {
      return { graph, decisions };
    }
  }
}

const resultSets = new WeakMap<Growth, Set<string>>();

function resultKeys(growth: Growth): Set<string> {
  let keys = resultSets.get(growth);
  if (!keys) resultSets.set(growth, (keys = new Set(growth.results)));
  return keys;
}

function isResult(node: GraphNode, growth: Growth): boolean {
  return resultKeys(growth).has(node.key);
}

/** What stands for a result of the run is a result of the run. */
function inherit(node: NodeDefinition, action: ActionRow, growth: Growth): NodeDefinition {
  return action.result === 1 && resultKeys(growth).has(node.key) ? { ...node, result: true } : node;
}

/** Whoever waited for the growing action waits for its results. */
async function rewire(
  tx: StoreTransaction,
  action: ActionRow,
  growth: Growth,
  results: readonly number[],
  decisions: readonly Decision[],
  applied: AppliedPlan,
  context: MoveContext,
): Promise<void> {
  const waiting = await tx.edgesOnGrowth([action.id]);
  await tx.deleteEdges(waiting);
  const edges = waiting.flatMap((edge) =>
    results.map((i, n): EdgeRow => {
      const decision = decisions[i] as Decision;
      return {
        ...edge,
        position: growth.list ? memberPosition(edge.position, n) : edge.position,
        datasetId: applied.datasetIds[i] ?? null,
        producerId: applied.actionIds[i] as number,
        state: decision.do === 'reuse' ? 'HELD' : 'WAITING',
      };
    }),
  );
  await tx.insertEdges(edges);
  await readyActions(tx, [...new Set(waiting.map((edge) => edge.holderId))], context);
}
