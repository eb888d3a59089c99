// Where the results of a run are, for programs that use the library.
import type { StoreView } from '../core/ports/store.ts';
import type { LocalStorage } from '../storage/local/local-storage.ts';

/**
 * The folders of a run's results by the id of their action: one for most actions, several in order for an action that stood for a
 * list, none for one that was skipped or whose result was let go of. They are read-only; copy what you want to change.
 */
export async function runResults(
  { store, storage }: { readonly store: { readonly view: StoreView }; readonly storage: LocalStorage },
  runId: number,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const edges = await store.view.edgesOf('run', [runId]);
  const rows = await store.view.datasets(edges.flatMap((edge) => edge.datasetId ?? []));
  const locations = new Map(rows.map((row) => [row.id, row.location]));
  const folders = new Map<string, string[]>();
  for (const edge of edges.toSorted((a, b) => (a.position < b.position ? -1 : 1))) {
    const location = edge.datasetId === null ? undefined : locations.get(edge.datasetId);
    if (!location) continue;
    folders.set(edge.slot, [...(folders.get(edge.slot) ?? []), storage.path(location)]);
  }
  return folders;
}
