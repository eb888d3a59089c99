// Reads what the reuse planner needs to know about a set of nodes.
import { availableDatasetStates, inFlightDatasetStates } from '../core/machines/dataset.ts';
import type { DatasetFactRow, StoreView } from '../core/ports/store.ts';
import type { DatasetFact, PlanFacts, PlanNode } from '../core/reuse-planner.ts';

export interface GatheredFacts extends PlanFacts {
  /** Where the files of a dataset are; for the check of what is about to be reused. */
  row(id: number): DatasetFactRow | undefined;
}

const available: ReadonlySet<string> = new Set(availableDatasetStates);
const inFlight: ReadonlySet<string> = new Set(inFlightDatasetStates);

/**
 * The row that counts for each signature. The first realm is the submitter's own; a dataset of another realm counts only while it
 * can be read or is being made, and is never made again there.
 */
export function currentRows(
  rows: readonly DatasetFactRow[],
  realms: readonly string[],
  vanished: ReadonlySet<number>,
): Map<string, DatasetFactRow> {
  if (realms.length === 1) return new Map(rows.map((row) => [row.signature, row]));
  const place = new Map(realms.map((realm, i) => [realm, i]));
  const rank = (row: DatasetFactRow): number => {
    const realm = place.get(row.realm) as number;
    if (available.has(row.state) && row.removalBeganAt === null && !vanished.has(row.id)) return realm;
    if (inFlight.has(row.state)) return realms.length + realm;
    return realm === 0 ? 2 * realms.length : Number.POSITIVE_INFINITY;
  };
  const best = new Map<string, DatasetFactRow>();
  for (const row of rows) {
    const other = best.get(row.signature);
    if (rank(row) < (other ? rank(other) : Number.POSITIVE_INFINITY)) best.set(row.signature, row);
  }
  return best;
}

/** `realms` begins with the realm in which new datasets are made; `vanished` are datasets whose files were found missing just now. */
export async function gatherFacts(
  view: StoreView,
  nodes: readonly PlanNode[],
  realms: readonly string[],
  vanished: ReadonlySet<number> = new Set(),
): Promise<GatheredFacts> {
  const signatures: string[] = [];
  const growing: string[] = [];
  const ids = new Set<number>();
  for (const node of nodes) {
    (node.expands ? growing : signatures).push(node.signature);
    if (node.current?.datasetId != null) ids.add(node.current.datasetId);
  }
  const rows = await view.datasetFacts(signatures, realms);
  const growths = growing.length > 0 ? await view.growths(growing, realms) : [];
  for (const growth of growths) for (const { datasetId } of growth.members) ids.add(datasetId);
  for (const row of rows) if (row.sameAs !== null) ids.add(row.sameAs);
  const known = new Map(rows.map((row) => [row.id, row]));
  for (const row of await view.datasetFactsById([...ids].filter((id) => !known.has(id))))
    known.set(row.id, row);

  const producerRuns = await runsOfProducers(view, rows);
  const facts = new Map<number, DatasetFact>();
  const fact = (row: DatasetFactRow): DatasetFact => {
    let made = facts.get(row.id);
    if (!made) {
      const twin = row.sameAs === null ? undefined : known.get(row.sameAs);
      made = {
        id: row.id,
        state: row.state,
        definition: row.definition,
        removing: row.removalBeganAt !== null,
        digest: row.digest,
        producerRun: row.producerId === null ? undefined : producerRuns.get(row.producerId),
        deletedReason: row.deletedReason,
        sameAs: twin && twin.sameAs === null ? fact(twin) : undefined,
        vanished: vanished.has(row.id),
      };
      facts.set(row.id, made);
    }
    return made;
  };
  const current = currentRows(rows, realms, vanished);
  const members = new Map(
    growths
      .sort((a, b) => realms.indexOf(b.realm) - realms.indexOf(a.realm))
      .map((growth) => [growth.signature, growth.members]),
  );
  return {
    row: (id) => known.get(id),
    bySignature(signature) {
      const row = current.get(signature);
      return row && fact(row);
    },
    byId(id) {
      const row = known.get(id);
      return row && fact(row);
    },
    growth(signature) {
      const found = members.get(signature);
      if (!found?.every(({ datasetId }) => known.has(datasetId))) return undefined;
      return found.map(({ datasetId, position }) => ({
        position,
        dataset: fact(known.get(datasetId) as DatasetFactRow),
      }));
    },
  };
}

/** Only work in flight is attributed, so the look-up is small. */
async function runsOfProducers(
  view: StoreView,
  rows: readonly DatasetFactRow[],
): Promise<Map<number, number>> {
  const producers = new Set<number>();
  for (const row of rows)
    if (row.producerId !== null && row.state.startsWith('TO_')) producers.add(row.producerId);
  if (producers.size === 0) return new Map();
  const actions = await view.actions([...producers]);
  return new Map(actions.map((action) => [action.id, action.runId]));
}
