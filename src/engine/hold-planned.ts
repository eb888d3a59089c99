// Makes sure, inside the planning transaction, that what a plan counts on is still so: what is reused is locked and counted as used, what is
// joined is locked while it is being made. So nobody can delete, finish or abandon it unseen before the plan's edges are there.
import { availableDatasetStates, inFlightDatasetStates } from '../core/machines/dataset.ts';
import type { StoreTransaction } from '../core/ports/store.ts';
import type { DatasetFact, Decision } from '../core/reuse-planner.ts';
import type { GraphNode } from './plan-graph.ts';

const available: ReadonlySet<string> = new Set(availableDatasetStates);
const inFlight: ReadonlySet<string> = new Set(inFlightDatasetStates);

/** False when something has changed since the facts were read: plan again with new facts. */
export async function holdPlanned(
  tx: StoreTransaction,
  graph: readonly GraphNode[],
  decisions: readonly Decision[],
  now: number,
): Promise<boolean> {
  const joined = new Set<number>();
  const awaited = new Set<number>();
  decisions.forEach((decision, i) => {
    if (decision.do === 'join') joined.add(decision.dataset.id);
    const own = decision.do === 'live' ? graph[i]?.action?.datasetId : undefined;
    if (own != null) awaited.add(own);
  });
  const locked = await tx.lockDatasets([...new Set([...joined, ...awaited])]);
  if (locked.some(({ id, state }) => joined.has(id) && !inFlight.has(state))) return false;
  if (locked.some(({ id, state }) => awaited.has(id) && available.has(state))) return false;
  const reused = reusedFacts(decisions);
  const held = await tx.touchDatasets([...reused.keys()], now);
  return held.length === reused.size && held.every(({ id, state }) => reused.get(id)?.state === state);
}

/** The datasets that a plan takes as they are, by id. */
export function reusedFacts(decisions: readonly Decision[]): Map<number, DatasetFact> {
  const facts = new Map<number, DatasetFact>();
  for (const decision of decisions) {
    if (decision.do === 'reuse') facts.set(decision.dataset.id, decision.dataset);
    else if (decision.do === 'reuse-members')
      for (const { dataset } of decision.members) facts.set(dataset.id, dataset);
  }
  return facts;
}
