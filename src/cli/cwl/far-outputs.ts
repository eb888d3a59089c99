// The output object of a run on a server, brought to this machine: files are downloaded, folders with everything in them.
import { createWriteStream } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Api } from '../../api/api.ts';
import { isList, isObject, type Json, type JsonObject } from '../../core/json.ts';
import { stageOutputs } from '../../languages/cwl/index.ts';
import { readPages } from '../read-pages.ts';

/** Stands for the server in paths, as nothing on this machine does. */
const far = '/\u0001varve-server/';
const farUrl = `file://${encodeURI(far)}`;
const onServer = /^\/api\/v1\/datasets\/([0-9a-f]{64})\/files\/(.*)$/;

/** The output object with its files in `outdir`. */
export async function bringOutputs(api: Api, runId: number, outdir: string): Promise<JsonObject> {
  const { outputs } = await api.getRunOutputs({ run: runId });
  const known = (await withContents(api, outputs as Json)) as JsonObject;
  return stageOutputs(known, outdir, async (source, target) => {
    if (!source.startsWith(far)) return copyFile(source, target);
    const [dataset, ...inside] = source.slice(far.length).split('/') as [string, ...string[]];
    const { body } = await api.readFile({ dataset, path: inside.join('/') });
    await pipeline(Readable.from(body), createWriteStream(target));
  });
}

/** Folders that do not say what is in them are asked for it, since this machine cannot look; locations become paths that name the server. */
async function withContents(api: Api, value: Json): Promise<Json> {
  if (isList(value)) return Promise.all(value.map((one) => withContents(api, one)));
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(
    async ([key, one]) => [key, await withContents(api, one)] as const,
  );
  const copy: Record<string, Json> = Object.fromEntries(await Promise.all(entries));
  const found = typeof copy.location === 'string' ? onServer.exec(copy.location) : null;
  if (!found) return copy;
  const [, dataset, inside] = found as unknown as [string, string, string];
  if (copy.class === 'File') return { ...copy, location: `${farUrl}${dataset}/${inside}` };
  const { location: _, ...folder } = copy;
  if (isList(folder.listing)) return folder;
  return { ...folder, listing: await listingOf(api, dataset, decodeURIComponent(inside).replace(/\/$/, '')) };
}

interface Entry {
  readonly path: string;
  readonly kind: string;
}

async function listingOf(api: Api, dataset: string, folder: string): Promise<Json[]> {
  const entries = await readPages<Entry>((page) => api.listFiles({ dataset, ...page }));
  return children(entries, dataset, folder === '' ? '' : `${folder}/`);
}

function children(entries: readonly Entry[], dataset: string, prefix: string): Json[] {
  const inside = entries.filter(({ path }) => path.startsWith(prefix) && path !== prefix);
  const names = new Set(inside.map(({ path }) => path.slice(prefix.length).split('/', 1)[0] as string));
  return [...names].sort().map((basename): Json => {
    const path = `${prefix}${basename}`;
    const isFolder = inside.some((one) =>
      one.path === path ? one.kind === 'directory' : one.path.startsWith(`${path}/`),
    );
    if (isFolder) return { class: 'Directory', basename, listing: children(inside, dataset, `${path}/`) };
    const address = path.split('/').map(encodeURIComponent).join('/');
    return { class: 'File', basename, location: `${farUrl}${dataset}/${address}` };
  });
}
