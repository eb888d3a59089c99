// Where the results of a run are, for programs that use the library.
import type { StoreView } from '../core/ports/store.ts';
import { resultsOfRun } from '../engine/run-results.ts';
import type { LocalStorage } from '../storage/local/local-storage.ts';

/**
 * The folders of a run's results by the id of their action: one for most actions, several in order for an action that stood for a
 * list, none for one that was skipped or whose result was let go of. They are read-only; copy what you want to change.
 */
export async function runResults(
  { store, storage }: { readonly store: { readonly view: StoreView }; readonly storage: LocalStorage },
  runId: number,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const results = await resultsOfRun(store.view, runId);
  const rows = await store.view.datasets(results.map((result) => result.datasetId));
  const locations = new Map(rows.map((row) => [row.id, row.location]));
  const folders = new Map<string, string[]>();
  for (const { key, datasetId } of results) {
    const location = locations.get(datasetId);
    if (location) folders.set(key, [...(folders.get(key) ?? []), storage.path(location)]);
  }
  return folders;
}
