// File and Directory objects: what they may hold, how to find them inside any value, and the names that follow from a location.
import { posix } from 'node:path';
import { isList, isObject, type Json } from '../../../core/json.ts';
import { pathOfUrl, withoutFragment } from '../load/uri.ts';

export type CwlFile = {
  readonly class: 'File';
  readonly location?: string;
  readonly path?: string;
  readonly basename?: string;
  readonly nameroot?: string;
  readonly nameext?: string;
  readonly dirname?: string;
  readonly contents?: string;
  readonly size?: number;
  readonly checksum?: string;
  readonly format?: string;
  readonly secondaryFiles?: readonly CwlPath[];
  /** SHA-256 of the contents; internal, never shown to expressions or users. */
  readonly digest?: string;
};

export type CwlDirectory = {
  readonly class: 'Directory';
  readonly location?: string;
  readonly path?: string;
  readonly basename?: string;
  readonly listing?: readonly CwlPath[];
  /** SHA-256 of the tree; internal. */
  readonly digest?: string;
};

export type CwlPath = CwlFile | CwlDirectory;

export function isFile(value: unknown): value is CwlFile {
  return isObject(value) && value.class === 'File';
}

export function isDirectory(value: unknown): value is CwlDirectory {
  return isObject(value) && value.class === 'Directory';
}

export function isPath(value: unknown): value is CwlPath {
  return isFile(value) || isDirectory(value);
}

/** Replaces every outermost File and Directory of a value; nested ones are left to `replace`. */
export function mapPaths(value: Json, replace: (path: CwlPath) => Json): Json {
  if (isPath(value)) return replace(value);
  if (isList(value)) return value.map((item) => mapPaths(item, replace));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, mapPaths(one, replace)]));
}

/** Replaces every File and Directory, those nested in secondaryFiles and listings first. */
export function mapAllPaths(value: Json, replace: (path: CwlPath) => CwlPath): Json {
  return mapPaths(value, (path) => mapPathTree(path, replace) as Json);
}

export function mapPathTree(path: CwlPath, replace: (path: CwlPath) => CwlPath): CwlPath {
  const nested = isFile(path) ? path.secondaryFiles : path.listing;
  if (!isList(nested)) return replace(path);
  const mapped = (nested as readonly CwlPath[]).map((one) => (isPath(one) ? mapPathTree(one, replace) : one));
  return replace({ ...path, [isFile(path) ? 'secondaryFiles' : 'listing']: mapped } as CwlPath);
}

/** The outermost File and Directory objects of a value, in order. */
export function pathsIn(value: Json): CwlPath[] {
  const found: CwlPath[] = [];
  mapPaths(value, (path) => {
    found.push(path);
    return null;
  });
  return found;
}

/** The last part of a location: percent-decoded, without query and fragment. */
export function basenameOf(location: string): string {
  const path = pathOfUrl(location) ?? decoded(withoutFragment(location).replace(/\?.*$/, ''));
  return posix.basename(path);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Splits a name so that nameroot + nameext = basename; a leading dot belongs to the root. */
export function splitName(basename: string): { nameroot: string; nameext: string } {
  const nameext = posix.extname(basename);
  return { nameroot: basename.slice(0, basename.length - nameext.length), nameext };
}

/** Applies a secondary file pattern to a name: each leading ^ removes one extension. */
export function applyPattern(basename: string, pattern: string): string {
  let name = basename;
  let rest = pattern;
  while (rest.startsWith('^')) {
    name = splitName(name).nameroot;
    rest = rest.slice(1);
  }
  return name + rest;
}

/** The location of a name inside, or beside, another location. */
export function siblingLocation(location: string, name: string): string {
  return location.replace(/[^/]*$/, '') + encodeName(name);
}

export function childLocation(directory: string, name: string): string {
  return `${directory.replace(/\/$/, '')}/${encodeName(name)}`;
}

function encodeName(name: string): string {
  return name
    .split('/')
    .map((part) => encodeURIComponent(part))
    .join('/');
}
