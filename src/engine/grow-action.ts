// Expansion: a growing action, once its inputs are known, inserts further actions in one transaction. Whoever waited for it waits for
// the actions that stand for it from then on; what stood for it is remembered under its signature.
import type { Growth } from '../core/ports/action-type.ts';
import type { MoveContext, StoreTransaction } from '../core/ports/store.ts';
import { parseReason, type Reason } from '../core/reason.ts';
import { type Decision, planReuse } from '../core/reuse-planner.ts';
import type { ActionRow, RunRow } from '../core/rows.ts';
import type { NodeDefinition } from '../core/workflow.ts';
import { type AppliedPlan, applyPlan } from './apply-plan.ts';
import { closeRuns } from './close-runs.ts';
import { readyActions } from './deliver-datasets.ts';
import { type Ending, endActions } from './end-actions.ts';
import { gatherFacts } from './gather-facts.ts';
import { holdPlanned } from './hold-planned.ts';
import { type GraphNode, type GrownNode, liveGraph, memberPosition } from './plan-graph.ts';
import { rememberGrowth } from './remember-growth.ts';
import { standingEdges } from './standing-edges.ts';

/** Returns false when the action is no longer the caller's. */
export async function growAction(
  tx: StoreTransaction,
  action: ActionRow,
  growth: Growth,
  context: MoveContext,
): Promise<boolean> {
  await tx.lockPlanning();
  const [current] = await tx.actions([action.id]);
  const [run] = await tx.runs([action.runId]);
  if (!run || current?.state !== 'PROCESSING' || current.fence !== action.fence) return false;
  const stop = reasonToStop(current, run, growth);
  if (stop) return (await endActions(tx, [stop], context)).has(action.id);

  const { graph, decisions } = await planGrowth(tx, action, growth, run.realm, context);
  const index = new Map(graph.map((node, i) => [node.key, i]));
  const results = growth.results.map((key) => index.get(key) as number);
  const blocked = results.map((i) => decisions[i]).find((decision) => decision?.do === 'blocked');
  if (blocked?.do === 'blocked') {
    const ending: Ending = { action, event: 'skip', reason: blocked.reason, fenced: true };
    return (await endActions(tx, [ending], context)).has(action.id);
  }

  const grown: GrownNode = { results: growth.results, list: growth.list };
  const set = { grown: JSON.stringify(grown), endedAt: context.at, owner: null };
  await tx.move('action', 'finish', [{ id: action.id, fence: action.fence, set }], context);
  const target = { runId: run.id, realm: run.realm, priority: run.priority };
  const applied = await applyPlan(tx, target, graph, decisions, context);
  await rewire(tx, action, growth, results, decisions, applied, context);
  await tx.releaseEdges('action', [action.id]);
  await rememberGrowth(tx, action, run.realm, context.at);
  await closeRuns(tx, [run.id], context);
  tx.notify('run');
  return true;
}

/** A condition that is false, a cancel, or a failure after which nothing new begins. */
function reasonToStop(action: ActionRow, run: RunRow, growth: Growth): Ending | undefined {
  const end = (event: 'kill' | 'skip', reason: Reason): Ending => ({ action, event, reason, fenced: true });
  if (action.cancelRequested !== 0 || run.state !== 'RUNNING') return end('kill', { code: 'CANCELLED' });
  if (run.error !== null) return end('skip', { code: 'RUN_STOPPED' });
  if (growth.skipped === undefined) return undefined;
  return { ...end('skip', { code: 'CONDITION_FALSE', detail: growth.skipped }), byCondition: true };
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
  const foreign = growth.results.find((key) => !own.has(key));
  if (foreign !== undefined) throw new Error(`${action.key} grew into ${foreign}, which it does not insert`);
  const referenced = new Set(
    inserted.flatMap((node) => node.parents.map((link) => link.key)).filter((key) => !own.has(key)),
  );
  const { code } = parseReason(action.reason);
  const options = {
    inserted,
    grownFrom: action.id,
    belowForced: code === 'PARENT_FORCED' || code === 'FORCED',
  };
  let only: readonly string[] | undefined = [...referenced];
  for (;;) {
    const graph = await liveGraph(tx, action.runId, { ...options, only });
    const wanted = graph.flatMap((node, i) =>
      !node.action && (isResult(node, growth) || node.forced || !node.managed) ? [i] : [],
    );
    const decisions = planReuse(graph, wanted, await gatherFacts(tx, graph, [realm]));
    // A parent that grew, or that has to come back to life, needs the whole run in the picture.
    const partial = graph.some(
      (node, i) => node.action && (node.action.grown !== null || !settled.has(decisions[i]?.do ?? '')),
    );
    if (only && partial) only = undefined;
    else if (await holdPlanned(tx, graph, decisions, context.at)) return { graph, decisions };
  }
}

const settled: ReadonlySet<string> = new Set(['reuse', 'live', 'leave']);
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
    results.flatMap((i, n) =>
      standingEdges(
        { ...edge, position: growth.list ? memberPosition(edge.position, n) : edge.position },
        decisions[i] as Decision,
        applied.actionIds[i] as number,
        applied.datasetIds[i],
      ),
    ),
  );
  await tx.insertEdges(edges);
  await readyActions(tx, [...new Set(waiting.map((edge) => edge.holderId))], context);
}
