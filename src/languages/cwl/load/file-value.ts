// Values inside documents and input objects: plain JSON, in which the locations of File and Directory objects are made absolute by
// the document they stand in, and formats are full IRIs.
import { dirname, resolve } from 'node:path';
import type { Json } from '../../../core/json.ts';
import { type SourceMap, type SourceNode, toJson } from './source-node.ts';
import { expandPrefix, isAbsoluteUrl, pathOfUrl, resolveLink, resolveUrl, urlOfPath } from './uri.ts';

/** The JSON value of a node with absolute file locations. */
export function fileValue(node: SourceNode): Json {
  if (node.kind === 'scalar') return node.value;
  if (node.kind === 'list') return node.items.map(fileValue);
  const kind = classOf(node);
  if (kind === undefined) {
    return Object.fromEntries([...node.entries].map(([key, { value }]) => [key, fileValue(value)]));
  }
  const object: Record<string, Json> = { class: kind };
  for (const [key, { value }] of node.entries) {
    if (key === 'class' || key === 'path' || key === 'digest') continue;
    const plain = toJson(value);
    if (key === 'location' && typeof plain === 'string') object.location = resolveLink(plain, node.source);
    else if (key === 'format' && typeof plain === 'string')
      object.format = expandPrefix(plain, node.source.namespaces);
    else object[key] = fileValue(value);
  }
  const path = node.entries.get('path')?.value;
  if (object.location === undefined && path?.kind === 'scalar' && typeof path.value === 'string')
    object.location = locationOfPath(path.value, node.source.baseUrl);
  return object;
}

function classOf(node: SourceMap): 'File' | 'Directory' | undefined {
  const value = node.entries.get('class')?.value;
  if (value?.kind !== 'scalar' || typeof value.value !== 'string') return undefined;
  const name = value.value.replace(/^(cwl:|https:\/\/w3id\.org\/cwl\/cwl#)/, '');
  return name === 'File' || name === 'Directory' ? name : undefined;
}

/** The URL of a path that stands in a document: not percent-decoded, relative to the document's folder. */
export function locationOfPath(path: string, baseUrl: string): string {
  if (isAbsoluteUrl(path)) return path;
  const base = pathOfUrl(baseUrl);
  if (base === undefined) return resolveUrl(path, baseUrl);
  return urlOfPath(resolve(base.endsWith('/') ? base : dirname(base), path));
}
