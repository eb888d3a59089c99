// Facts about files on this machine that File and Directory objects carry: names, sizes, listings, contents.
import { closeSync, openSync, readdirSync, readSync, type Stats, statSync } from 'node:fs';
import { join } from 'node:path';
import { cwlErrors } from '../error-codes.ts';
import { displayName } from '../load/source-node.ts';
import { pathOfUrl } from '../load/uri.ts';
import type { LoadListing } from '../model/cwl-type.ts';
import {
  basenameOf,
  type CwlDirectory,
  type CwlFile,
  type CwlPath,
  childLocation,
  isFile,
  splitName,
} from './file-object.ts';

export const contentsLimit = 65_536;

/** The local path of a File or Directory; literals have none. */
export function localPath(path: CwlPath): string | undefined {
  return path.location === undefined ? undefined : pathOfUrl(path.location);
}

/** Adds the names and the size; throws when the thing does not exist or is of the other class. */
export function completePath(path: CwlPath): CwlPath {
  if (path.location === undefined) return completeLiteral(path);
  const basename = path.basename ?? basenameOf(path.location);
  if (basename.includes('/')) throw cwlErrors.CWL_FILE_OBJECT(`the basename "${basename}" contains a slash`);
  const local = pathOfUrl(path.location);
  const facts = local === undefined ? undefined : statOrMissing(path, local);
  if (!isFile(path)) return { ...path, basename };
  const size = path.size ?? facts?.size;
  return { ...path, basename, ...splitName(basename), ...(size === undefined ? {} : { size }) };
}

function completeLiteral(path: CwlPath): CwlPath {
  if (isFile(path)) {
    if (typeof path.contents !== 'string')
      throw cwlErrors.CWL_FILE_OBJECT('a File needs "location", "path" or "contents"');
    const basename = path.basename ?? 'literal';
    return { ...path, basename, ...splitName(basename), size: Buffer.byteLength(path.contents) };
  }
  if (!Array.isArray(path.listing))
    throw cwlErrors.CWL_FILE_OBJECT('a Directory needs "location", "path" or "listing"');
  return { ...path, basename: path.basename ?? 'literal' };
}

function statOrMissing(path: CwlPath, local: string): Stats {
  let facts: Stats;
  try {
    facts = statSync(local);
  } catch (error) {
    throw cwlErrors.CWL_FILE_MISSING.with({ cause: error }, path.class, local);
  }
  if (facts.isDirectory() !== (path.class === 'Directory'))
    throw cwlErrors.CWL_FILE_OBJECT(
      `${local} is ${facts.isDirectory() ? 'a directory' : 'a file'}, not a ${path.class}`,
    );
  return facts;
}

/** The kind of thing at a location, or undefined when there is none. */
export function kindAt(location: string): 'File' | 'Directory' | undefined {
  const local = pathOfUrl(location);
  if (local === undefined) return 'File';
  const facts = statSync(local, { throwIfNoEntry: false });
  return facts === undefined ? undefined : facts.isDirectory() ? 'Directory' : 'File';
}

/** Adds or removes the listing as asked; literal directories keep theirs. */
export function withListing(directory: CwlDirectory, how: LoadListing): CwlDirectory {
  const local = localPath(directory);
  if (local === undefined) return directory;
  if (how === 'no_listing') {
    const { listing: _dropped, ...rest } = directory;
    return rest as CwlDirectory;
  }
  return { ...directory, listing: listDirectory(directory.location!, local, how === 'deep_listing') };
}

function listDirectory(location: string, path: string, deep: boolean): CwlPath[] {
  const names = readdirSync(path).sort();
  return names.map((name) => {
    const child = join(path, name);
    const facts = statSync(child, { throwIfNoEntry: false });
    const at = childLocation(location, name);
    if (facts?.isDirectory()) {
      const directory: CwlDirectory = { class: 'Directory', location: at, basename: name };
      return deep ? { ...directory, listing: listDirectory(at, child, true) } : directory;
    }
    return { class: 'File', location: at, basename: name, ...splitName(name), size: facts?.size ?? 0 };
  });
}

/** Adds the contents; larger files are an error since v1.2, and cut before. */
export function withContents(file: CwlFile, cut: boolean): CwlFile {
  if (file.contents !== undefined) return file;
  const local = localPath(file);
  if (local === undefined) throw cwlErrors.CWL_FILE_OBJECT(`cannot load the contents of ${file.location}`);
  const size = statOrMissing(file, local).size;
  if (size > contentsLimit && !cut) throw cwlErrors.CWL_CONTENTS_TOO_LONG(displayName(file.location!), size);
  const buffer = Buffer.alloc(Math.min(size, contentsLimit));
  const descriptor = openSync(local, 'r');
  try {
    const read = readSync(descriptor, buffer, 0, buffer.length, 0);
    return { ...file, contents: buffer.toString('utf8', 0, read) };
  } finally {
    closeSync(descriptor);
  }
}
