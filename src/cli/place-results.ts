// Puts the results of a run into a folder, one folder per leaf action named by its id; an action that stood for a list gets a numbered
// folder for each member.
import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Varve } from '../varve.ts';

export async function placeResults(varve: Varve, runId: number, outdir: string): Promise<void> {
  const folder = resolve(outdir);
  await mkdir(folder, { recursive: true });
  const { view } = varve.store;
  const edges = await view.edgesOf('run', [runId]);
  const rows = new Map(
    (await view.datasets(edges.flatMap((edge) => edge.datasetId ?? []))).map((row) => [row.id, row]),
  );
  for (const edge of edges) {
    const row = edge.datasetId === null ? undefined : rows.get(edge.datasetId);
    if (!row?.location) continue;
    const name = safeName(edge.slot);
    const target = edge.position === '' ? join(folder, name) : join(folder, name, edge.position);
    if (edge.position !== '') await mkdir(join(folder, name), { recursive: true });
    await varve.storage.place(row.location, target, row.digest ?? '', 'keep');
  }
}

/** Ids may hold characters that mean something in paths. */
function safeName(key: string): string {
  const name = key.replace(/[/\\\0]/g, '_');
  return name === '.' || name === '..' ? `_${name}` : name;
}
