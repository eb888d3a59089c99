// Why the files of a dataset are gone, with the price tag that it had when it was given up.
import type { JsonObject } from '../core/json.ts';
import type { StoreView } from '../core/ports/store.ts';
import type { DatasetRow } from '../core/rows.ts';

export interface DeletionReport {
  readonly signature: string;
  readonly name: string;
  readonly state: string;
  /** When it was given up or found missing. */
  readonly at: number | null;
  readonly reason: string | null;
  /** Bytes, seconds to recompute, uses, expected re-use and who decided, if a decision gave it up. */
  readonly priceTag: JsonObject | null;
  /** How often it was given up before, and how often it was computed again. */
  readonly timesGivenUp: number;
  readonly timesComputed: number;
}

const endings = new Set(['giveUp', 'vanish', 'abandon']);
const deletedStates = new Set(['STORED_TO_DELETE', 'PROCESSING', 'DELETING', 'DELETED']);

export async function whyDeleted(view: StoreView, dataset: DatasetRow): Promise<DeletionReport> {
  const journal = await view.journal({ datasetId: dataset.id, limit: 100_000 });
  const last = journal.findLast((row) => endings.has(row.event));
  const deleted = deletedStates.has(dataset.state);
  return {
    signature: dataset.signature,
    name: dataset.name,
    state: dataset.state,
    at: deleted ? (last?.at ?? dataset.deletedAt) : null,
    reason: deleted ? dataset.deletedReason : null,
    priceTag: deleted && last?.event === 'giveUp' && last.detail !== null ? JSON.parse(last.detail) : null,
    timesGivenUp: journal.filter((row) => row.event === 'giveUp').length,
    timesComputed: journal.filter((row) => row.event === 'publish').length,
  };
}
