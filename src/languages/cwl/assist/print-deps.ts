// What a document depends on: the documents it refers to and the files it names, as the standard's listing form.
import type { Json, JsonObject } from '../../../core/json.ts';
import type { LoadedDocument } from '../load/load-document.ts';
import { pathOfUrl, withoutFragment } from '../load/uri.ts';
import { type CwlPath, mapPathTree, pathsIn } from '../values/file-object.ts';

export interface Dependency {
  readonly class: 'File' | 'Directory';
  readonly location: string;
  readonly format?: string;
}

/** The document itself as a File whose secondaryFiles are everything it needs; locations relative to it, or absolute. */
export function printDeps(document: LoadedDocument, relative = true): JsonObject {
  const [own, ...others] = document.urls as [string, ...string[]];
  const found = new Map<string, Dependency>();
  const format = 'https://w3id.org/cwl/cwl';
  for (const url of others) found.set(url, { class: 'File', location: url, format });
  for (const schema of document.process.schemas ?? []) found.set(schema, { class: 'File', location: schema });
  for (const path of pathsIn(document.process as unknown as Json))
    mapPathTree(path, (one) => note(one, found));
  const show = (url: string) => (relative ? relativeTo(own, url) : url);
  const secondaryFiles = [...found.values()].map((one) => ({ ...one, location: show(one.location) }));
  const main = { class: 'File', location: show(own), format };
  return secondaryFiles.length === 0 ? main : { ...main, secondaryFiles };
}

function note(path: CwlPath, found: Map<string, Dependency>): CwlPath {
  if (path.location !== undefined && !found.has(path.location))
    found.set(path.location, { class: path.class, location: path.location });
  return path;
}

function relativeTo(base: string, url: string): string {
  const folder = withoutFragment(base).replace(/[^/]*$/, '');
  if (url.startsWith(folder)) return url.slice(folder.length);
  return pathOfUrl(url) ?? url;
}
