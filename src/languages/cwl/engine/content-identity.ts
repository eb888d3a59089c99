// What of a value decides the bytes that a tool makes from it: files count by name and content, not by where they are.
import type { Json, JsonObject } from '../../../core/json.ts';
import { digestBytes, digestFile, digestTree } from '../values/content-digest.ts';
import { basenameOf, type CwlPath, isFile, mapPaths } from '../values/file-object.ts';
import { localPath } from '../values/local-files.ts';

/** The SHA-256 of a local file's contents, undefined if there is none; the composition root may remember it by inode, size and time. */
export type DigestFile = (path: string) => Promise<string | undefined>;

const hashFile: DigestFile = async (path) => (await digestFile(path)).sha256;

/** Fields that follow from others or say where a file is. */
const outside = new Set([
  'location',
  'path',
  'dirname',
  'nameroot',
  'nameext',
  'size',
  'checksum',
  'contents',
  'listing',
  'secondaryFiles',
]);

/** The value with the digest of every file in it; those that have one are believed. */
export async function withDigests(value: Json, digest: DigestFile = hashFile): Promise<Json> {
  const made = new Map<CwlPath, CwlPath>();
  const found: CwlPath[] = [];
  mapPaths(value, (path) => {
    found.push(path);
    return null;
  });
  if (found.every(isComplete)) return value;
  for (const path of found) made.set(path, await digestPath(path, digest));
  return mapPaths(value, (path) => made.get(path)! as Json);
}

function isComplete(path: CwlPath): boolean {
  if (path.digest === undefined && path.location !== undefined) return false;
  if (isFile(path)) return (path.secondaryFiles ?? []).every(isComplete);
  return path.location !== undefined || (path.listing ?? []).every(isComplete);
}

async function digestPath(path: CwlPath, digest: DigestFile): Promise<CwlPath> {
  const nested: CwlPath[] = [];
  const inner = isFile(path) ? path.secondaryFiles : path.location === undefined ? path.listing : undefined;
  for (const one of inner ?? []) nested.push(await digestPath(one, digest));
  const known = path.digest ?? (await digestOnDisk(path, digest));
  const base = known === undefined ? path : { ...path, digest: known };
  if (inner === undefined) return base;
  return { ...base, [isFile(path) ? 'secondaryFiles' : 'listing']: nested } as CwlPath;
}

/** A file that is not there has no digest: whoever uses it will say so. */
async function digestOnDisk(path: CwlPath, digest: DigestFile): Promise<string | undefined> {
  const local = localPath(path);
  if (local === undefined) return undefined;
  try {
    return isFile(path) ? await digest(local) : await digestTree(local);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'EISDIR'].includes((error as { code?: string }).code ?? '')) return undefined;
    throw error;
  }
}

/** The value as it enters a signature; every located file must have its digest. */
export function contentIdentity(value: Json): Json {
  return mapPaths(value, (path) => pathIdentity(path));
}

function pathIdentity(path: CwlPath): JsonObject {
  const own = Object.entries(path as JsonObject).filter(([name]) => !outside.has(name));
  const identity: Record<string, Json> = Object.fromEntries(own);
  if (path.basename === undefined && path.location !== undefined)
    identity.basename = basenameOf(path.location);
  if (isFile(path)) {
    if (path.location === undefined) identity.digest = digestBytes(path.contents ?? '').sha256;
    if (path.secondaryFiles !== undefined && path.secondaryFiles.length > 0)
      identity.secondaryFiles = path.secondaryFiles.map(pathIdentity);
  } else if (path.location === undefined) identity.listing = (path.listing ?? []).map(pathIdentity);
  return identity;
}
