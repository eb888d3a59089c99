// Applies a plan inside the planning transaction: rows for actions and datasets are born, deleted datasets are planned again, what is
// reused is locked, promoted and claimed, and edges say who waits for what.
import { nodeText } from '../core/node-text.ts';
import type { Move, MoveContext, NewRow, StoreTransaction } from '../core/ports/store.ts';
import { reasonJson } from '../core/reason.ts';
import type { ComputedRow, Decision } from '../core/reuse-planner.ts';
import type { ActionRow, DatasetRow, EdgeRow } from '../core/rows.ts';
import { tagsText } from '../core/tags.ts';
import { letGo } from './let-go.ts';
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

type DatasetMove = 'promote' | 'rescue' | 'keep' | 'restore' | 'restoreLeaf' | 'restoreBriefly' | 'vanish';

const partSize = 5000;

/** Everything that one plan changes, collected first and written in few statements. */
class Changes {
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

export async function applyPlan(
  tx: StoreTransaction,
  target: PlanTarget,
  graph: readonly GraphNode[],
  decisions: readonly Decision[],
  context: MoveContext,
): Promise<AppliedPlan> {
  let changes = new Changes();
  const actionIds = await actionIdsFor(tx, graph);
  const datasetIds = await datasetIdsFor(tx, graph, decisions);
  const clock = await tx.dispatchClock();

  const wantedByTwin = new Set(
    decisions.flatMap((decision, i) => (decision.do === 'twin' && graph[i]?.result ? [decision.of] : [])),
  );

  const claims = await claimsOnRestored(tx, decisions, new Set(actionIds));

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
    planDataset(changes, node, lifespan, decision, actionIds[i] as number, datasetId, target, context);
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
    changes.edges.push(...edges);
    if (node.result && node.managed)
      changes.edges.push(...resultEdges(node, decision, datasetId, target.runId));
    if (state === 'READY') readyCount += 1;
    if (inParts && changes.actions.length === partSize) {
      await write(tx, changes, inParts, context);
      changes = new Changes();
    }
  }
  await write(tx, changes, inParts, context);
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
  return (graph[i] as GraphNode).parents.flatMap((link) =>
    standingEdges(
      wantedEdge('action', holderId, link),
      decisions[link.node] as Decision,
      actionIds[link.node] as number,
      datasetIds[link.node],
    ),
  );
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

/** How long a dataset is wanted: as a result, until it is given up, or only for its consumers. */
type Lifespan = 'leaf' | 'stored' | 'brief';

const planned = { leaf: 'TO_LEAF', stored: 'TO_STORE', brief: 'TO_DELETE' } as const;
const restored = { leaf: 'restoreLeaf', stored: 'restore', brief: 'restoreBriefly' } as const;

/** What others still want of datasets that are computed again: their own ends may have been different. */
async function claimsOnRestored(
  tx: StoreTransaction,
  decisions: readonly Decision[],
  own: ReadonlySet<number>,
): Promise<Map<number, 'result' | 'join'>> {
  const ids = decisions.flatMap((decision) =>
    decision.do === 'compute' && decision.row.kind === 'restore' ? [decision.row.dataset.id] : [],
  );
  const claims = new Map<number, 'result' | 'join'>();
  if (ids.length === 0) return claims;
  for (const { holder, holderId, datasetId } of await tx.edgesOn(ids)) {
    if (holder === 'run') claims.set(datasetId as number, 'result');
    else if (holder === 'join' && !own.has(holderId) && !claims.has(datasetId as number))
      claims.set(datasetId as number, 'join');
  }
  return claims;
}

function planDataset(
  changes: Changes,
  node: GraphNode,
  lifespan: Lifespan,
  decision: Decision,
  actionId: number,
  datasetId: number | null,
  target: PlanTarget,
  context: MoveContext,
): void {
  const moves = changes.datasetMoves;
  const leaf = lifespan === 'leaf';
  // What is kept only for its consumers is claimed by them; it need not be rescued.
  const briefly = lifespan === 'brief';
  if (decision.do === 'reuse') {
    if (leaf) moves.promote.push({ id: decision.dataset.id });
    else if (decision.rescue && !briefly) moves.rescue.push({ id: decision.dataset.id });
  } else if (decision.do === 'reuse-members') {
    for (const { dataset } of decision.members) {
      if (leaf) moves.promote.push({ id: dataset.id });
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
      realm: target.realm,
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

function definitionOf(node: GraphNode, row: ComputedRow): string {
  if (row.kind === 'supersede') return row.dataset.definition;
  return node.definition ?? (node.redefinition as string);
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

async function write(
  tx: StoreTransaction,
  changes: Changes,
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
