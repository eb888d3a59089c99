// Datasets as users name them: by signature or a unique prefix of it.
import type { StoreView } from '../core/ports/store.ts';
import type { DatasetRow } from '../core/rows.ts';
import { engineErrors } from './error-codes.ts';

/** Among the datasets of these realms; among all without them. */
export async function findDataset(
  view: StoreView,
  prefix: string,
  realms?: readonly string[],
): Promise<DatasetRow> {
  if (!/^[0-9a-f]{4,64}$/.test(prefix)) throw engineErrors.DATASET_NOT_FOUND(prefix);
  const found = await view.datasetsByPrefix(prefix, 10, realms);
  // Equal work of several realms has one signature; what is there counts before what is gone.
  const row = found.find(({ state }) => state !== 'DELETED') ?? found[0];
  if (!row) throw engineErrors.DATASET_NOT_FOUND(prefix);
  const names = new Set(found.map(({ signature }) => signature));
  if (names.size > 1) throw engineErrors.DATASET_AMBIGUOUS(prefix, names.size);
  if (row.sameAs !== null && row.state === 'DELETED') {
    const [twin] = await view.datasets([row.sameAs]);
    if (twin && twin.state !== 'DELETED' && (realms?.includes(twin.realm) ?? true)) return twin;
  }
  return row;
}
