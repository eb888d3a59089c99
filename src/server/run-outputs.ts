// The output object of a CWL run for somebody who is not on this machine: files by their address on the server, or by the path under which
// the submitter brought them.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isList, isObject, type Json } from '../core/json.ts';
import type { Varve } from '../varve.ts';

const datasets = '/varve-datasets';

/** Locations are `/api/v1/datasets/…/files/…`, `file:` for brought files, and absent for literals. */
export async function farOutputs(varve: Pick<Varve, 'cwl' | 'config'>, runId: number): Promise<Json> {
  const outputs = await varve.cwl.outputs(runId, ({ signature }) => `${datasets}/${signature}`);
  const worlds = `${pathToFileURL(join(varve.config.storage.root, 'uploads', 'worlds')).href}/`;
  return withLocations(outputs, (location) => {
    const inside = /^file:\/\/\/varve-datasets\/([0-9a-f]{64})\/?(.*)$/.exec(location);
    if (inside) return `/api/v1/datasets/${inside[1]}/files/${inside[2]}`;
    if (location.startsWith(worlds)) return `file://${location.slice(worlds.length + 64)}`;
    return location.startsWith('file:') ? undefined : location;
  });
}

/** The value with other locations; paths and digests of this machine are left out. */
function withLocations(value: Json, place: (location: string) => string | undefined): Json {
  if (isList(value)) return value.map((one) => withLocations(one, place));
  if (!isObject(value)) return value;
  const isPath = value.class === 'File' || value.class === 'Directory';
  const entries = Object.entries(value).flatMap(([key, one]): [string, Json][] => {
    if (isPath && (key === 'path' || key === 'digest')) return [];
    if (!isPath || key !== 'location' || typeof one !== 'string') return [[key, withLocations(one, place)]];
    const location = place(one);
    return location === undefined ? [] : [[key, location]];
  });
  return Object.fromEntries(entries);
}
