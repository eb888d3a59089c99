// Puts the results of a run into a folder, one folder per leaf action named by its id; an action that stood for a list gets a numbered
// folder for each member. Near results are linked, far ones are downloaded.
import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Output } from '../api/api.ts';
import { findDataset } from '../engine/find-dataset.ts';
import type { Session } from './session.ts';
import { unpackTar } from './unpack-tar.ts';

export async function placeResults(session: Session, run: Output<'getRun'>, outdir: string): Promise<void> {
  const folder = resolve(outdir);
  await mkdir(folder, { recursive: true });
  for (const { action, position, dataset } of run.outputs) {
    const name = safeName(action);
    const target = position === '' ? join(folder, name) : join(folder, name, position);
    if (position !== '') await mkdir(join(folder, name), { recursive: true });
    await place(session, dataset, target);
  }
}

async function place({ varve, api }: Session, dataset: string, target: string): Promise<void> {
  if (!varve) {
    const { body } = await api.readArchive({ dataset });
    return unpackTar(body, target);
  }
  const row = await findDataset(varve.store.view, dataset);
  if (row.location !== null) await varve.storage.place(row.location, target, row.digest ?? '', 'keep');
}

/** Ids may hold characters that mean something in paths. */
function safeName(key: string): string {
  const name = key.replace(/[/\\\0]/g, '_');
  return name === '.' || name === '..' ? `_${name}` : name;
}
