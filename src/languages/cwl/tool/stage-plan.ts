// Where the input files of an invocation appear: each input file with its secondary files in a folder of its own, under the name
// that `basename` gives. The result is a list of entries and the job with `path` set; nothing is touched.
import { readdirSync, statSync } from 'node:fs';
import { posix } from 'node:path';
import type { Json, JsonObject } from '../../../core/json.ts';
import { cwlErrors } from '../error-codes.ts';
import { basenameOf, type CwlPath, isFile, mapPaths } from '../values/file-object.ts';
import { localPath } from '../values/local-files.ts';

/** One thing to put in place, as the tool sees it. */
export type StageEntry =
  | { readonly kind: 'link'; readonly source: string; readonly target: string; readonly directory: boolean }
  | { readonly kind: 'copy'; readonly source: string; readonly target: string; readonly directory: boolean }
  | { readonly kind: 'write'; readonly contents: string; readonly target: string; readonly writable: boolean }
  | { readonly kind: 'directory'; readonly target: string };

export interface StagedJob {
  readonly job: JsonObject;
  readonly entries: readonly StageEntry[];
}

/** Gives every file of the job a path below `folder`. */
export function stageJob(job: JsonObject, folder: string): StagedJob {
  const stage = new Stage();
  let count = 0;
  const staged = mapPaths(job, (path) => {
    count += 1;
    return stage.place(path, posix.join(folder, String(count)), false) as Json;
  });
  return { job: staged as JsonObject, entries: stage.entries };
}

/** Collects entries; two different things under one path are an error. */
export class Stage {
  readonly entries: StageEntry[] = [];
  private readonly taken = new Map<string, string>();

  /** Plans a File or Directory into `folder` and returns it with its path. */
  place(path: CwlPath, folder: string, writable: boolean, name = path.basename): CwlPath {
    const target = posix.join(folder, name ?? basenameOf(path.location ?? 'file'));
    const source = localPath(path);
    if (isFile(path)) {
      if (source !== undefined)
        this.add({ kind: writable ? 'copy' : 'link', source, target, directory: false });
      else if (path.contents !== undefined)
        this.add({ kind: 'write', contents: path.contents, target, writable });
      else throw cwlErrors.CWL_FILE_OBJECT(`${path.location ?? 'a File'} is not on this machine`);
      const secondaryFiles = path.secondaryFiles?.map((one) => this.place(one, folder, writable));
      const placed = { ...path, basename: posix.basename(target), path: target, dirname: folder };
      return secondaryFiles === undefined ? placed : { ...placed, secondaryFiles };
    }
    const placed = { ...path, basename: posix.basename(target), path: target };
    if (source !== undefined) {
      this.add({ kind: writable ? 'copy' : 'link', source, target, directory: true });
      return path.listing === undefined
        ? placed
        : { ...placed, listing: path.listing.map((one) => inside(one, target)) };
    }
    this.add({ kind: 'directory', target });
    return { ...placed, listing: (path.listing ?? []).map((one) => this.place(one, target, writable)) };
  }

  add(entry: StageEntry): void {
    const identity =
      entry.kind === 'write'
        ? `text ${entry.contents}`
        : entry.kind === 'directory'
          ? 'directory'
          : entry.source;
    const other = this.taken.get(entry.target);
    if (other === identity) return;
    if (other !== undefined)
      throw cwlErrors.CWL_STAGING(`two different files are to be staged as ${posix.basename(entry.target)}`);
    this.taken.set(entry.target, identity);
    this.entries.push(entry);
  }
}

/** Paths of what a staged directory contains: it is there because the directory is. */
function inside(path: CwlPath, folder: string): CwlPath {
  const target = posix.join(folder, path.basename ?? basenameOf(path.location ?? ''));
  if (isFile(path)) return { ...path, path: target, dirname: folder };
  const placed = { ...path, path: target };
  return path.listing === undefined
    ? placed
    : { ...placed, listing: path.listing.map((one) => inside(one, target)) };
}

/** Turns a linked directory into a real one with linked contents where something else is to be put inside it. */
export function openLinkedDirectories(entries: readonly StageEntry[]): StageEntry[] {
  const targets = entries.map(({ target }) => target);
  return entries.flatMap((entry) => openIfNeeded(entry, targets));
}

function openIfNeeded(entry: StageEntry, targets: readonly string[]): StageEntry[] {
  if (entry.kind !== 'link' || !entry.directory) return [entry];
  const { source, target } = entry;
  if (!targets.some((other) => other.startsWith(`${target}/`))) return [entry];
  const children = readdirSync(source).flatMap((name): StageEntry[] => {
    const child = posix.join(target, name);
    if (targets.includes(child)) return [];
    const from = posix.join(source, name);
    return openIfNeeded(
      { kind: 'link', source: from, target: child, directory: statSync(from).isDirectory() },
      targets,
    );
  });
  return [{ kind: 'directory', target }, ...children];
}
