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

/** A page of decisions, oldest first. */
export async function listDecisions(
  view: StoreView,
  { after, limit }: { readonly after?: number | undefined; readonly limit: number },
): Promise<DecisionRecord[]> {
  const rows = await view.journal({ datasetId: decisionEntity, after: after ?? 0, limit });
  return rows.map(({ id, at, detail }) => ({ id, at, ...JSON.parse(detail ?? '{}') }) as DecisionRecord);
}
