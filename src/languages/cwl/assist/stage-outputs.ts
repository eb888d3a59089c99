// Puts the files of an output object into the folder that the user named, and describes them there. Outputs of one name get
// different ones; secondary files stay beside their file under their own names.
import { constants, lstatSync, mkdirSync } from 'node:fs';
import { copyFile, mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { isObject, type Json, type JsonObject } from '../../../core/json.ts';
import { urlOfPath } from '../load/uri.ts';
import { OutputNames } from '../tool/output-names.ts';
import {
  basenameOf,
  type CwlFile,
  type CwlPath,
  isFile,
  isPath,
  mapPaths,
  mapPathTree,
  splitName,
} from '../values/file-object.ts';
import { localPath } from '../values/local-files.ts';

/** Brings one regular file to a place that is free. */
export type BringFile = (source: string, target: string) => Promise<void>;

const copy: BringFile = (source, target) => copyFile(source, target, constants.COPYFILE_FICLONE);

/** Files that are copied at the same time. */
const atATime = 8;

/** The output object with every file in `outdir`. */
export async function stageOutputs(
  outputs: JsonObject,
  outdir: string,
  bring: BringFile = copy,
): Promise<JsonObject> {
  await mkdir(outdir, { recursive: true });
  const staged = new Map<CwlPath, CwlPath>();
  const found: CwlPath[] = [];
  mapPaths(outputs, (path) => {
    found.push(path);
    return null;
  });
  const names = new OutputNames();
  const waiting = found.values();
  // Names are taken in order, before anything is awaited; what comes twice under one name is brought one after the other.
  const turns = new Map<string, Promise<unknown>>();
  const work = async (): Promise<void> => {
    for (const path of waiting) {
      const before = turns.get(path.location ?? '');
      const placed = placeGroup(path, outdir, names, bring, before);
      turns.set(path.location ?? '', placed);
      staged.set(path, await placed);
    }
  };
  await Promise.all(Array.from({ length: atATime }, work));
  return mapPaths(outputs, (path) => staged.get(path)! as Json) as JsonObject;
}

/** A file with secondary files moves into a folder of its own when one of the names is taken. */
async function placeGroup(
  path: CwlPath,
  outdir: string,
  names: OutputNames,
  bring: BringFile,
  before: Promise<unknown> | undefined,
): Promise<CwlPath> {
  const source = localPath(path);
  const wanted = nameOf(path);
  if (!isFile(path) || (path.secondaryFiles ?? []).length === 0) {
    const name = names.take(wanted, source);
    await before;
    return described(await place(path, join(outdir, name), bring), name === wanted);
  }
  const group = [path, ...path.secondaryFiles!].map((one) => [nameOf(one), localPath(one)] as const);
  const free = group.every(([name, from]) => names.isFree(name, from));
  const folder = free ? '' : names.take(`${wanted}.d`, undefined);
  for (const [name, from] of group) names.take(name, from, folder);
  await before;
  const primary = await place(path, join(outdir, folder, wanted), bring);
  const secondaryFiles: CwlPath[] = [];
  for (const one of path.secondaryFiles!)
    secondaryFiles.push(described(await place(one, join(outdir, folder, nameOf(one)), bring), true));
  return { ...(described(primary, true) as CwlFile), secondaryFiles };
}

function nameOf(path: CwlPath): string {
  return path.basename ?? basenameOf(path.location ?? 'output');
}

async function place(path: CwlPath, target: string, bring: BringFile): Promise<CwlPath> {
  const source = localPath(path);
  if (source === target) return path;
  if (lstatSync(target, { throwIfNoEntry: false }) !== undefined)
    await rm(target, { recursive: true, force: true });
  mkdirSync(posix.dirname(target), { recursive: true });
  if (isFile(path)) {
    if (source === undefined) await writeFile(target, path.contents ?? '');
    else await bring(source, target);
    return { ...path, location: urlOfPath(target) };
  }
  await mkdir(target, { recursive: true });
  if (source !== undefined) await copyTree(source, target, bring);
  const listing: CwlPath[] = [];
  for (const one of path.listing ?? []) {
    if (!isPath(one)) continue;
    const child = join(target, nameOf(one));
    listing.push(source === undefined ? await place(one, child, bring) : relocated(one, child));
  }
  return { ...path, location: urlOfPath(target), listing };
}

async function copyTree(source: string, target: string, bring: BringFile): Promise<void> {
  for (const name of await readdir(source)) {
    const [from, to] = [join(source, name), join(target, name)];
    if ((await stat(from)).isDirectory()) {
      await mkdir(to, { recursive: true });
      await copyTree(from, to, bring);
    } else await bring(from, to);
  }
}

function relocated(path: CwlPath, target: string): CwlPath {
  if (isFile(path)) return { ...path, location: urlOfPath(target) };
  const listing = path.listing?.map((one) => relocated(one, join(target, nameOf(one))));
  return listing === undefined
    ? { ...path, location: urlOfPath(target) }
    : { ...path, location: urlOfPath(target), listing };
}

/** What users see of a file: path and names, no internal digest. */
function described(path: CwlPath, keepsName: boolean): CwlPath {
  return mapPathTree(path, (one) => {
    const { digest: _digest, ...visible } = one as CwlFile;
    const local = localPath(one);
    const basename = keepsName ? nameOf(one) : posix.basename(local ?? nameOf(one));
    const named = { ...visible, basename, ...(local === undefined ? {} : { path: local }) };
    return (isFile(one) ? { ...named, ...splitName(basename) } : named) as CwlPath;
  });
}

/** The output object without internal fields, files where they are. */
export function visibleOutputs(outputs: Json): Json {
  const plain = mapPaths(outputs, (path) => described(path, true) as Json);
  return isObject(plain) ? plain : {};
}
