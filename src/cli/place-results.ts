// Puts the results of a run into a folder, one folder per leaf action named by its id; an action that stood for a list gets a numbered
// folder for each member.
import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { resultsOfRun } from '../engine/run-results.ts';
import type { Varve } from '../varve.ts';

export async function placeResults(varve: Varve, runId: number, outdir: string): Promise<void> {
  const folder = resolve(outdir);
  await mkdir(folder, { recursive: true });
  const { view } = varve.store;
  const results = await resultsOfRun(view, runId);
  const rows = new Map(
    (await view.datasets(results.map((result) => result.datasetId))).map((row) => [row.id, row]),
  );
  for (const { key, position, datasetId } of results) {
    const row = rows.get(datasetId);
    if (!row?.location) continue;
    const name = safeName(key);
    const target = position === '' ? join(folder, name) : join(folder, name, position);
    if (position !== '') await mkdir(join(folder, name), { recursive: true });
    await varve.storage.place(row.location, target, row.digest ?? '', 'keep');
  }
}

/** Ids may hold characters that mean something in paths. */
function safeName(key: string): string {
  const name = key.replace(/[/\\\0]/g, '_');
  return name === '.' || name === '..' ? `_${name}` : name;
}
