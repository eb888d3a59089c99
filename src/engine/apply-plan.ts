// Applies a plan inside the planning transaction: rows for actions and datasets are born, deleted datasets are planned again, what is
// reused is locked, promoted and claimed, and edges say who waits for what.
import { nodeText } from '../core/node-text.ts';
import type { MoveContext, NewRow, StoreTransaction } from '../core/ports/store.ts';
import { reasonJson } from '../core/reason.ts';
import type { Decision } from '../core/reuse-planner.ts';
import type { ActionRow, EdgeRow } from '../core/rows.ts';
import { tagsText } from '../core/tags.ts';
import { PlanChanges, writeChanges } from './plan-changes.ts';
import { planDataset } from './plan-dataset.ts';
import type { GraphNode } from './plan-graph.ts';
import { standingEdges, wantedEdge } from './standing-edges.ts';

export interface PlanTarget {
  readonly runId: number;
  readonly realm: string;
  readonly priority: number;
}

export interface AppliedPlan {
  /** Ids of the actions by index of the graph. */
  readonly actionIds: readonly number[];
  readonly readyCount: number;
  /** Datasets that stand for a node once it is settled; undefined for a growing one. */
  readonly datasetIds: readonly (number | undefined)[];
}

const partSize = 5000;

export async function applyPlan(
  tx: StoreTransaction,
  target: PlanTarget,
  graph: readonly GraphNode[],
  decisions: readonly Decision[],
  context: MoveContext,
): Promise<AppliedPlan> {
  let changes = new PlanChanges();
  // Asked together, so that the questions travel as one.
  const [actionIds, datasetIds, clock] = await Promise.all([
    actionIdsFor(tx, graph),
    datasetIdsFor(tx, graph, decisions),
    tx.dispatchClock(),
  ]);

  const wantedByTwin = new Set<number>();
  decisions.forEach((decision, i) => {
    if (decision.do === 'twin' && graph[i]?.result) wantedByTwin.add(decision.of);
  });

  const claims = await claimsOnRestored(tx, decisions, actionIds);

  // A new run is written in parts, so that memory does not hold every row of a large plan at once.
  const inParts = graph.every((node) => !node.action);
  let readyCount = 0;
  for (const [i, node] of graph.entries()) {
    const decision = decisions[i] as Decision;
    if (decision.do === 'live' || decision.do === 'blocked') continue;
    if (node.action && decision.do === 'leave') continue;
    const edges = inputEdges(i, graph, decisions, actionIds, datasetIds);
    const datasetId = datasetIds[i] ?? null;
    const others = claims.get(datasetId ?? -1);
    const leaf = (node.result || wantedByTwin.has(i) || others === 'result') && node.managed;
    const briefly = (node.node.policy.keep === 'never' && others === undefined) || !node.managed;
    const lifespan = leaf ? 'leaf' : briefly ? 'brief' : 'stored';
    planDataset(changes, node, lifespan, decision, actionIds[i] as number, datasetId, target.realm, context);
    const state = birthState(decision, edges);
    if (!node.action) {
      changes.actions.push(
        newAction(node, decision, state, actionIds[i] as number, datasetId, clock + i + 1, target, context),
      );
    } else if (decision.do !== 'reuse' && decision.do !== 'reuse-members') {
      // Of an ended action that is needed again: it waits first and is readied with the others.
      changes.revived.push({ id: node.action.id, detail: { reason: decision.reason.code } });
      changes.changed.push({
        id: node.action.id,
        set: { datasetId, reason: reasonJson(decision.reason), endedAt: null, error: null, leaseUntil: 0 },
      });
      if (state === 'READY') changes.ready.push({ id: node.action.id, set: { readyAt: context.at } });
    }
    for (const edge of edges) changes.edges.push(edge);
    if (node.result && node.managed)
      changes.edges.push(...resultEdges(node, decision, datasetId, target.runId));
    if (state === 'READY') readyCount += 1;
    if (inParts && changes.actions.length === partSize) {
      await writeChanges(tx, changes, inParts, context);
      changes = new PlanChanges();
    }
  }
  await writeChanges(tx, changes, inParts, context);
  if (readyCount > 0) tx.notify('ready');
  return { actionIds, datasetIds, readyCount };
}

async function actionIdsFor(tx: StoreTransaction, graph: readonly GraphNode[]): Promise<number[]> {
  const fresh = graph.reduce((sum, node) => sum + (node.action ? 0 : 1), 0);
  let next = fresh > 0 ? await tx.nextIds('action', fresh) : 0;
  return graph.map((node) => node.action?.id ?? next++);
}

async function datasetIdsFor(
  tx: StoreTransaction,
  graph: readonly GraphNode[],
  decisions: readonly Decision[],
): Promise<(number | undefined)[]> {
  const needsRow = (decision: Decision): boolean =>
    decision.do === 'compute' && decision.row.kind !== 'restore';
  const fresh = decisions.reduce((sum, decision) => sum + (needsRow(decision) ? 1 : 0), 0);
  let next = fresh > 0 ? await tx.nextIds('dataset', fresh) : 0;
  const ids = decisions.map((decision, i) => {
    switch (decision.do) {
      case 'reuse':
      case 'join':
        return decision.dataset.id;
      case 'compute':
        return decision.row.kind === 'restore' ? decision.row.dataset.id : next++;
      case 'live':
        return graph[i]?.action?.datasetId ?? undefined;
      default:
        return undefined;
    }
  });
  decisions.forEach((decision, i) => {
    if (decision.do === 'twin') ids[i] = ids[decision.of];
  });
  return ids;
}

/** The edges through which a computing or growing node gets its inputs; a joining node waits for its own dataset. */
function inputEdges(
  i: number,
  graph: readonly GraphNode[],
  decisions: readonly Decision[],
  actionIds: readonly number[],
  datasetIds: readonly (number | undefined)[],
): EdgeRow[] {
  const decision = decisions[i] as Decision;
  const holderId = actionIds[i] as number;
  if (decision.do === 'join' || decision.do === 'twin') {
    const wanted = wantedEdge('join', holderId, { slot: '', position: '', optional: false });
    return [{ ...wanted, datasetId: datasetIds[i] as number }];
  }
  if (decision.do !== 'compute' && decision.do !== 'grow') return [];
  const edges: EdgeRow[] = [];
  for (const link of (graph[i] as GraphNode).parents) {
    const standing = standingEdges(
      wantedEdge('action', holderId, link),
      decisions[link.node] as Decision,
      actionIds[link.node] as number,
      datasetIds[link.node],
    );
    for (const edge of standing) edges.push(edge);
  }
  return edges;
}

function birthState(
  decision: Decision,
  edges: readonly EdgeRow[],
): 'WAITING' | 'READY' | 'REUSED' | 'SKIPPED' {
  switch (decision.do) {
    case 'reuse':
    case 'reuse-members':
      return 'REUSED';
    case 'compute':
    case 'grow':
      return edges.every((edge) => edge.state === 'HELD') ? 'READY' : 'WAITING';
    case 'join':
    case 'twin':
      return 'WAITING';
    default:
      return 'SKIPPED';
  }
}

function newAction(
  node: GraphNode,
  decision: Exclude<Decision, { do: 'live' }>,
  state: ReturnType<typeof birthState>,
  id: number,
  datasetId: number | null,
  rank: number,
  target: PlanTarget,
  context: MoveContext,
): NewRow<ActionRow> {
  const ended = state === 'REUSED' || state === 'SKIPPED';
  return {
    id,
    state,
    runId: target.runId,
    key: node.key,
    name: node.node.name,
    type: node.node.type,
    node: nodeText(node.node),
    expands: node.expands ? 1 : 0,
    result: node.result ? 1 : 0,
    grownFrom: node.grownFrom,
    grown: null,
    datasetId,
    signature: node.signature,
    priority: target.priority + node.node.policy.priority,
    tags: tagsText(node.node.policy.resources.tags),
    rank,
    attempts: 0,
    lost: 0,
    cancelRequested: 0,
    reason: reasonJson(decision.reason),
    error: null,
    createdAt: context.at,
    readyAt: state === 'READY' ? context.at : null,
    startedAt: null,
    endedAt: ended ? context.at : null,
  };
}

/** What others still want of datasets that are computed again: their own ends may have been different. */
async function claimsOnRestored(
  tx: StoreTransaction,
  decisions: readonly Decision[],
  actionIds: readonly number[],
): Promise<Map<number, 'result' | 'join'>> {
  const ids: number[] = [];
  for (const decision of decisions)
    if (decision.do === 'compute' && decision.row.kind === 'restore') ids.push(decision.row.dataset.id);
  const claims = new Map<number, 'result' | 'join'>();
  if (ids.length === 0) return claims;
  const own = new Set(actionIds);
  for (const { holder, holderId, datasetId } of await tx.edgesOn(ids)) {
    if (holder === 'run') claims.set(datasetId as number, 'result');
    else if (holder === 'join' && !own.has(holderId) && !claims.has(datasetId as number))
      claims.set(datasetId as number, 'join');
  }
  return claims;
}

/** A run claims its results from the moment they are planned. */
function resultEdges(
  node: GraphNode,
  decision: Decision,
  datasetId: number | null,
  runId: number,
): EdgeRow[] {
  const claimed =
    decision.do === 'reuse-members'
      ? decision.members.map(({ dataset, position }) => ({ position, datasetId: dataset.id }))
      : datasetId === null
        ? []
        : [{ position: '', datasetId }];
  return claimed.map(({ position, datasetId: id }) => ({
    holder: 'run',
    holderId: runId,
    slot: node.key,
    position,
    datasetId: id,
    producerId: null,
    optional: 0,
    state: 'HELD',
    expiresAt: null,
  }));
}
