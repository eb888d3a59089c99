// Writes the RO-Crate of a run into a folder: the documents, the files of the input and output objects, and the metadata about them.
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join, posix, relative } from 'node:path';
import type { Json, JsonObject } from '../../../core/json.ts';
import { stageOutputs } from '../assist/stage-outputs.ts';
import { cwlErrors } from '../error-codes.ts';
import { pathOfUrl } from '../load/uri.ts';
import { type CwlPath, isFile, mapAllPaths } from '../values/file-object.ts';
import { localPath } from '../values/local-files.ts';
import { type CrateFacts, runCrate } from './run-crate.ts';

export interface RunCrateRequest extends Omit<CrateFacts, 'document' | 'otherDocuments'> {
  /** Texts of the documents by URL, the one that was run first. */
  readonly documents: ReadonlyMap<string, string>;
}

const metadataName = 'ro-crate-metadata.json';

/** Throws when the folder holds a crate already: nothing of it is overwritten. */
export function refuseCrateFolder(folder: string): void {
  if (existsSync(join(folder, metadataName))) throw cwlErrors.CWL_CRATE_EXISTS(folder);
}

/** Makes the crate in `folder`. */
export async function writeRunCrate(folder: string, request: RunCrateRequest): Promise<void> {
  refuseCrateFolder(folder);
  await mkdir(folder, { recursive: true });
  const [document, ...otherDocuments] = await writeDocuments(folder, request.documents);
  const inputs = await bring(request.inputs, folder, 'inputs');
  const outputs = await bring(request.outputs, folder, 'outputs');
  const crate = runCrate({ ...request, document: document!, otherDocuments, inputs, outputs });
  await writeFile(join(folder, metadataName), `${JSON.stringify(crate, null, 2)}\n`);
}

/** Documents keep their places relative to each other, so that the crate can be run. */
async function writeDocuments(folder: string, texts: ReadonlyMap<string, string>): Promise<string[]> {
  const local = [...texts].flatMap(([url, text]) => {
    const path = pathOfUrl(url);
    return path === undefined ? [] : [{ path, text }];
  });
  const base = commonFolder(local.map(({ path }) => path));
  const remote = [...texts].filter(([url]) => pathOfUrl(url) === undefined);
  const files = [
    ...local.map(({ path, text }) => ({ name: relative(base, path), text })),
    ...remote.map(([url, text], i) => ({
      name: `remote-${i + 1}/${posix.basename(new URL(url).pathname)}`,
      text,
    })),
  ];
  const names: string[] = [];
  for (const { name, text } of files) {
    const inside = posix.join('workflow', name);
    await mkdir(join(folder, posix.dirname(inside)), { recursive: true });
    await writeFile(join(folder, inside), text);
    names.push(encodePath(inside));
  }
  const first = pathOfUrl([...texts.keys()][0]!) === undefined ? local.length : 0;
  return [names[first]!, ...names.filter((_, i) => i !== first)];
}

function commonFolder(paths: readonly string[]): string {
  let base = posix.dirname(paths[0] ?? '/');
  while (!paths.every((path) => path.startsWith(base === '/' ? base : `${base}/`)))
    base = posix.dirname(base);
  return base;
}

/** Copies the files of an object below a folder of the crate; their locations become their paths in it. */
async function bring(object: JsonObject, folder: string, name: string): Promise<JsonObject> {
  const staged = await stageOutputs(object, join(folder, name));
  return mapAllPaths(staged as Json, (path) => located(path, folder)) as JsonObject;
}

function located(path: CwlPath, folder: string): CwlPath {
  const inside = encodePath(relative(folder, localPath(path) ?? folder));
  return { ...path, location: isFile(path) ? inside : `${inside}/` } as CwlPath;
}

function encodePath(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/');
}
