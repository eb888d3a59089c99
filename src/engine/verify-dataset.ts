// Compares the files of a dataset with what was recorded. Missing or damaged files make it a miss from then on: its row goes to DELETED
// and whoever needs it computes it again (I3).
import type { Inspection, InspectionDepth } from '../core/ports/storage.ts';
import type { DatasetRow } from '../core/rows.ts';
import { by, type EngineContext } from './engine-context.ts';
import { loseDatasets } from './lose-datasets.ts';

export async function verifyDataset(
  context: EngineContext,
  dataset: DatasetRow,
  depth: InspectionDepth,
): Promise<Inspection> {
  if (dataset.location === null || dataset.digest === null) return 'missing';
  const expected = {
    sizeBytes: dataset.sizeBytes ?? 0,
    digest: dataset.digest,
    fileCount: dataset.fileCount ?? undefined,
  };
  const inspection = await context.storage.inspect(dataset.location, expected, depth);
  if (inspection !== 'intact') {
    await context.store.write((tx) => loseDatasets(tx, [dataset], by(context)), { planning: true });
  }
  return inspection;
}
