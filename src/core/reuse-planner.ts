// The reuse planner: from the wanted nodes upwards it decides for each node whether its dataset is reused, joined, computed,
// grown or not needed at all. Parents of what is not computed are never looked at, so whole upstreams vanish. Pure: facts in,
// decisions with reasons out; the same facts give the same plan on every database (I11).
import type { ActionState } from './machines/action.ts';
import { liveActionStates } from './machines/action.ts';
import type { DatasetState } from './machines/dataset.ts';
import { availableDatasetStates, inFlightDatasetStates } from './machines/dataset.ts';
import type { Reason } from './reason.ts';

export interface PlanNode {
  readonly key: string;
  readonly signature: string;
  /** Compared whole with a hit; undefined for a node that is an action already: it was compared when it was planned first. */
  readonly definition: string | undefined;
  readonly parents: readonly PlanLink[];
  readonly expands: boolean;
  readonly forced: boolean;
  readonly managed: boolean;
  readonly result: boolean;
  /** Something above it that is not in this graph was forced. */
  readonly belowForced?: boolean | undefined;
  /** For a node that is an action already: its state and dataset. */
  readonly current?: { readonly state: ActionState; readonly datasetId: number | null } | undefined;
}

export interface PlanLink {
  readonly slot: string;
  readonly position: string;
  readonly node: number;
  readonly optional: boolean;
}

export interface DatasetFact {
  readonly id: number;
  readonly state: DatasetState;
  readonly definition: string;
  /** Removal of the files has begun: it can no longer be rescued. */
  readonly removing: boolean;
  readonly digest: string | null;
  readonly producerRun?: number | undefined;
  readonly deletedReason: string | null;
  /** The dataset with equal bytes that stands for this one. */
  readonly sameAs?: DatasetFact | undefined;
  /** The submitter's files check found it missing. */
  readonly vanished?: boolean;
}

/** A dataset that stands for a growing node; `position` says where in the list, '' when it is the only one. */
export interface StandingMember {
  readonly dataset: DatasetFact;
  readonly position: string;
}

export interface PlanFacts {
  bySignature(signature: string): DatasetFact | undefined;
  byId(id: number): DatasetFact | undefined;
  /** Datasets that stood for a growing node when it grew last. */
  growth(signature: string): readonly StandingMember[] | undefined;
}

/** Which dataset row a computation fills. */
export type ComputedRow =
  | { readonly kind: 'new' }
  /** The row of a deleted dataset is used again. */
  | { readonly kind: 'restore'; readonly dataset: DatasetFact }
  /** The known row's files are just being removed: a new row takes its place. */
  | { readonly kind: 'supersede'; readonly dataset: DatasetFact }
  /** A row of its own beside the current one, which stays as it is until both can be compared. */
  | { readonly kind: 'generation' };

export type Decision =
  | { readonly do: 'leave'; readonly reason: Reason }
  | { readonly do: 'reuse'; readonly dataset: DatasetFact; readonly rescue: boolean; readonly reason: Reason }
  | { readonly do: 'reuse-members'; readonly members: readonly StandingMember[]; readonly reason: Reason }
  | { readonly do: 'join'; readonly dataset: DatasetFact; readonly reason: Reason }
  | { readonly do: 'compute'; readonly row: ComputedRow; readonly reason: Reason }
  /** Another node of the same plan computes the same dataset; this one joins it. */
  | { readonly do: 'twin'; readonly of: number; readonly reason: Reason }
  | { readonly do: 'grow'; readonly reason: Reason }
  /** The node is being worked on already. */
  | { readonly do: 'live' }
  /** The node ended without a dataset and cannot be revived. */
  | { readonly do: 'blocked'; readonly reason: Reason };

const live: ReadonlySet<string> = new Set(liveActionStates);
const inFlight: ReadonlySet<string> = new Set(inFlightDatasetStates);
const available: ReadonlySet<string> = new Set(availableDatasetStates);

export function isAvailable(fact: DatasetFact): boolean {
  return available.has(fact.state) && !fact.removing && !fact.vanished;
}

/** Decides every node. `targets` are the indices of the nodes whose datasets are wanted. */
export function planReuse(
  nodes: readonly PlanNode[],
  targets: readonly number[],
  facts: PlanFacts,
): Decision[] {
  const stale = staleNodes(nodes);
  const decisions: (Decision | undefined)[] = new Array(nodes.length);
  const queue = [...new Set(targets)];
  const queued = new Uint8Array(nodes.length);
  for (const index of queue) queued[index] = 1;
  const computed = new Map<string, number>();
  for (let head = 0; head < queue.length; head++) {
    const index = queue[head] as number;
    const node = nodes[index] as PlanNode;
    let decision = decide(node, stale.has(index), facts);
    if (decision.do === 'compute' && node.managed) {
      const first = computed.get(node.signature);
      if (first === undefined) computed.set(node.signature, index);
      else decision = { do: 'twin', of: first, reason: { code: 'JOINED', key: nodes[first]?.key } };
    }
    decisions[index] = decision;
    if (decision.do !== 'compute' && decision.do !== 'grow') continue;
    for (const link of node.parents) {
      if (queued[link.node] === 1) continue;
      queued[link.node] = 1;
      queue.push(link.node);
    }
  }
  spreadBlocks(nodes, queue, decisions);
  return nodes.map((_, index) => decisions[index] ?? notNeeded);
}

/** What needs a blocked parent is blocked itself, however optional: only a condition may leave an input empty, never a failure. */
function spreadBlocks(
  nodes: readonly PlanNode[],
  decided: readonly number[],
  decisions: (Decision | undefined)[],
): void {
  const blocked = decided.filter((index) => decisions[index]?.do === 'blocked');
  if (blocked.length === 0) return;
  const children = new Map<number, number[]>();
  for (const index of decided) {
    for (const parent of neededBy(nodes[index] as PlanNode, decisions[index])) {
      const known = children.get(parent);
      if (known) known.push(index);
      else children.set(parent, [index]);
    }
  }
  for (let head = 0; head < blocked.length; head++) {
    const cause = blocked[head] as number;
    for (const child of children.get(cause) ?? []) {
      if (decisions[child]?.do === 'blocked') continue;
      decisions[child] = { do: 'blocked', reason: { code: 'PARENT_FAILED', key: nodes[cause]?.key } };
      blocked.push(child);
    }
  }
}

function neededBy(node: PlanNode, decision: Decision | undefined): readonly number[] {
  if (decision?.do === 'twin') return [decision.of];
  return decision?.do === 'compute' || decision?.do === 'grow' ? node.parents.map((link) => link.node) : [];
}

/** Nodes below a forced one: their stored datasets count only if their inputs turn out to have the same bytes. */
function staleNodes(nodes: readonly PlanNode[]): ReadonlySet<number> {
  if (!nodes.some((node) => node.forced || node.belowForced)) return new Set();
  const children: number[][] = nodes.map(() => []);
  nodes.forEach((node, index) => {
    for (const link of node.parents) children[link.node]?.push(index);
  });
  const stale = new Set(nodes.flatMap((node, index) => (node.belowForced ? [index] : [])));
  const queue = nodes.flatMap((node, index) => (node.forced || node.belowForced ? [index] : []));
  for (let head = 0; head < queue.length; head++) {
    for (const child of children[queue[head] as number] as number[]) {
      if (stale.has(child)) continue;
      stale.add(child);
      queue.push(child);
    }
  }
  return stale;
}

function decide(node: PlanNode, stale: boolean, facts: PlanFacts): Decision {
  const { current } = node;
  if (current) {
    if (live.has(current.state)) return { do: 'live' };
    if (current.state === 'FAILED')
      return { do: 'blocked', reason: { code: 'PARENT_FAILED', key: node.key } };
    if (current.state === 'KILLED')
      return { do: 'blocked', reason: { code: 'PARENT_KILLED', key: node.key } };
  }
  if (node.expands) {
    const members = stale || node.forced ? undefined : facts.growth(node.signature);
    if (members?.every(({ dataset }) => isAvailable(dataset))) {
      return { do: 'reuse-members', members, reason: { code: 'GROWTH_KNOWN' } };
    }
    return { do: 'grow', reason: { code: stale ? 'PARENT_FORCED' : node.forced ? 'FORCED' : 'GROWS' } };
  }
  const own = current?.datasetId == null ? undefined : facts.byId(current.datasetId);
  if (own && isAvailable(own)) return reuse(own);
  if (!node.managed) return compute({ kind: 'generation' }, { code: 'UNMANAGED' });
  const known = facts.bySignature(node.signature);
  if (!known) return node.forced ? firstForced : neverComputed;
  if (node.definition !== undefined && known.definition !== node.definition) {
    throw new Error(`two definitions share the signature ${node.signature}`);
  }
  if (node.forced && !current) return compute({ kind: 'generation' }, { code: 'FORCED' });
  const remade = stale && !current;
  // What is being made elsewhere is made from the bytes before the forced computation.
  if (remade && (isAvailable(known) || inFlight.has(known.state))) {
    return compute({ kind: 'generation' }, { code: 'PARENT_FORCED' });
  }
  if (isAvailable(known)) return reuse(known);
  if (inFlight.has(known.state)) {
    return { do: 'join', dataset: known, reason: { code: 'JOINED', run: known.producerRun } };
  }
  if (known.sameAs && isAvailable(known.sameAs) && !stale) {
    return {
      do: 'reuse',
      dataset: known.sameAs,
      rescue: isDoomed(known.sameAs),
      reason: { code: 'SAME_BYTES' },
    };
  }
  if (known.vanished) return compute({ kind: 'restore', dataset: known }, { code: 'VANISHED' });
  const reason: Reason = { code: 'DELETED', detail: known.deletedReason ?? undefined };
  return compute({ kind: known.state === 'DELETED' ? 'restore' : 'supersede', dataset: known }, reason);
}

function compute(row: ComputedRow, reason: Reason): Decision {
  return { do: 'compute', row, reason };
}

// Large plans decide the same of very many nodes.
const notNeeded: Decision = { do: 'leave', reason: { code: 'NOT_NEEDED' } };
const neverComputed = compute({ kind: 'new' }, { code: 'NEVER_COMPUTED' });
const firstForced = compute({ kind: 'new' }, { code: 'FORCED' });

function isDoomed(fact: DatasetFact): boolean {
  return fact.state === 'STORED_TO_DELETE';
}

function reuse(dataset: DatasetFact): Decision {
  const rescue = isDoomed(dataset);
  return { do: 'reuse', dataset, rescue, reason: { code: rescue ? 'RESCUED' : 'STORED' } };
}
