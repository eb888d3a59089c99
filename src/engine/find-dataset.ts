// Datasets as users name them: by signature or a unique prefix of it.
import type { StoreView } from '../core/ports/store.ts';
import type { DatasetRow } from '../core/rows.ts';
import { engineErrors } from './error-codes.ts';

export async function findDataset(view: StoreView, prefix: string): Promise<DatasetRow> {
  if (!/^[0-9a-f]{4,64}$/.test(prefix)) throw engineErrors.DATASET_NOT_FOUND(prefix);
  const found = await view.datasetsByPrefix(prefix, 10);
  const [row] = found;
  if (!row) throw engineErrors.DATASET_NOT_FOUND(prefix);
  if (found.length > 1) throw engineErrors.DATASET_AMBIGUOUS(prefix, found.length);
  if (row.sameAs !== null && row.state === 'DELETED') {
    const [twin] = await view.datasets([row.sameAs]);
    if (twin && twin.state !== 'DELETED') return twin;
  }
  return row;
}
