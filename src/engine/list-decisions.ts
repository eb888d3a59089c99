// Decisions as the journal remembers them.
import type { StoreView } from '../core/ports/store.ts';

/** Decisions are journaled under this dataset, which none has. */
export const decisionEntity = 0;

export interface DecisionRecord {
  readonly id: number;
  readonly at: number;
  readonly algorithm: string | null;
  /** Why the configured algorithm did not decide. */
  readonly refused: string | null;
  readonly wantedBytes: number;
  readonly freedBytes: number;
  readonly shortfallBytes: number;
  readonly datasets: number;
  readonly notAdmitted: number;
}

/** A page of decisions: after one, the oldest first, or before one, the newest first. */
export async function listDecisions(
  view: StoreView,
  { limit, ...place }: { readonly after?: number; readonly before?: number; readonly limit: number },
): Promise<DecisionRecord[]> {
  const rows = await view.journal({ datasetId: decisionEntity, ...place, limit });
  return rows.map(({ id, at, detail }) => ({ id, at, ...JSON.parse(detail ?? '{}') }) as DecisionRecord);
}
