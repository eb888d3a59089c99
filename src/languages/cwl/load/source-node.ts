// The parsed form of a YAML or JSON document that every loading step works on: plain maps, lists and scalars which know the
// document and the offset they come from, so that any later problem can be shown as file:line:column.
import { fileURLToPath } from 'node:url';
import type { SourcePlace } from '../../../core/errors.ts';
import type { Json } from '../../../core/json.ts';

/** One text that was read: identifiers and links inside it are relative to `baseUrl`. */
export interface Source {
  readonly url: string;
  readonly text: string;
  baseUrl: string;
  namespaces: Readonly<Record<string, string>>;
  lineStarts?: number[];
}

export interface SourceScalar {
  readonly kind: 'scalar';
  readonly value: string | number | boolean | null;
  readonly source: Source;
  readonly offset: number;
}

export interface SourceList {
  readonly kind: 'list';
  readonly items: readonly SourceNode[];
  readonly source: Source;
  readonly offset: number;
}

export interface SourceEntry {
  readonly keyOffset: number;
  readonly value: SourceNode;
}

export interface SourceMap {
  readonly kind: 'map';
  readonly entries: ReadonlyMap<string, SourceEntry>;
  readonly source: Source;
  readonly offset: number;
}

export type SourceNode = SourceScalar | SourceList | SourceMap;

/** Line and column of a node, or of one of its keys. */
export function placeOf(node: SourceNode, key?: string): SourcePlace {
  const entry = key !== undefined && node.kind === 'map' ? node.entries.get(key) : undefined;
  return placeAt(node.source, entry ? entry.keyOffset : node.offset);
}

/** Line and column (from 1) of an offset in a source. */
export function placeAt(source: Source, offset: number): SourcePlace {
  source.lineStarts ??= lineStartsOf(source.text);
  const starts = source.lineStarts;
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (starts[middle]! <= offset) low = middle;
    else high = middle - 1;
  }
  return { file: displayName(source.url), line: low + 1, column: offset - starts[low]! + 1 };
}

/** A URL as people read it: the path of a local file, else the URL itself. */
export function displayName(url: string): string {
  if (!url.startsWith('file:')) return url;
  try {
    return fileURLToPath(url);
  } catch {
    return url;
  }
}

function lineStartsOf(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}

/** The value under a key, or undefined when it is absent or null. */
export function child(node: SourceNode | undefined, key: string): SourceNode | undefined {
  if (node?.kind !== 'map') return undefined;
  const value = node.entries.get(key)?.value;
  return value === undefined || (value.kind === 'scalar' && value.value === null) ? undefined : value;
}

/** The string under a key, or undefined when there is none or it is no string. */
export function stringAt(node: SourceNode | undefined, key: string): string | undefined {
  const value = child(node, key);
  return value?.kind === 'scalar' && typeof value.value === 'string' ? value.value : undefined;
}

export function isNull(node: SourceNode): boolean {
  return node.kind === 'scalar' && node.value === null;
}

/** The plain JSON value of a node. */
export function toJson(node: SourceNode): Json {
  if (node.kind === 'scalar') return node.value;
  if (node.kind === 'list') return node.items.map(toJson);
  const object: Record<string, Json> = {};
  for (const [key, entry] of node.entries) setOwn(object, key, toJson(entry.value));
  return object;
}

/** A map node made from parts of others, at the place of `at`. */
export function mapNode(at: SourceNode, entries: Iterable<readonly [string, SourceEntry]>): SourceMap {
  return { kind: 'map', entries: new Map(entries), source: at.source, offset: at.offset };
}

export function listNode(at: SourceNode, items: readonly SourceNode[]): SourceList {
  return { kind: 'list', items, source: at.source, offset: at.offset };
}

export function scalarNode(at: SourceNode, value: SourceScalar['value']): SourceScalar {
  return { kind: 'scalar', value, source: at.source, offset: at.offset };
}

function setOwn(object: Record<string, Json>, key: string, value: Json): void {
  // A document may use the key `__proto__`; plain assignment would change the prototype.
  if (key === '__proto__') Object.defineProperty(object, key, { value, enumerable: true, writable: true });
  else object[key] = value;
}
