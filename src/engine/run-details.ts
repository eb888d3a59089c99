// Details of a run that retention may have dropped.
import type { StoreView } from '../core/ports/store.ts';
import { engineErrors } from './error-codes.ts';

/** Throws when the single actions of the run are no longer known. */
export async function requireDetails(view: StoreView, runId: number): Promise<void> {
  const [event] = await view.historyOfRuns([runId]);
  if (event?.compactedAt != null) throw engineErrors.RUN_COMPACTED(runId, event.compactedAt);
}
