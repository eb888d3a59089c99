// Opens the root folder of a local storage: makes it on first use, checks that it can be written to, and reads or writes
// the marker by which a storage is told from an empty mount point.
import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { resolve } from 'node:path';
import { isObject, type Json } from '../../core/json.ts';
import { storageErrors } from '../error-codes.ts';
import type { FileSystem } from './file-system.ts';
import { isErrno, storageError } from './storage-error.ts';
import { StorageLayout } from './storage-layout.ts';

const format = 1;

export interface StorageRoot {
  readonly layout: StorageLayout;
  /** Unique name of this storage, kept in its marker. */
  readonly id: string;
  /** True when this call made the storage. */
  readonly created: boolean;
}

export function openStorageRoot(fs: FileSystem, folder: string): StorageRoot {
  const given = resolve(folder);
  try {
    fs.mkdirSync(given, { recursive: true });
    const layout = new StorageLayout(fs.realpathSync(given));
    fs.accessSync(layout.root, constants.R_OK | constants.W_OK | constants.X_OK);
    const known = readMarker(fs, layout);
    const id = known ?? writeMarker(fs, layout);
    for (const part of [layout.datasets, layout.attempts, layout.trash]) makeFolder(fs, part);
    return { layout, id, created: known === undefined };
  } catch (error) {
    // `mkdir -p` on an existing file says EEXIST, below a file ENOTDIR.
    if (isErrno(error, 'EEXIST', 'ENOTDIR'))
      throw storageErrors.STORAGE_NOT_A_FOLDER.with({ cause: error }, given);
    throw storageError(error, 'use the storage folder', given);
  }
}

/** Makes a folder whose parent exists; an existing one is fine. */
export function makeFolder(fs: FileSystem, path: string): void {
  try {
    fs.mkdirSync(path);
  } catch (error) {
    if (!isErrno(error, 'EEXIST')) throw error;
    if (!fs.statSync(path).isDirectory()) throw storageErrors.STORAGE_NOT_A_FOLDER(path);
  }
}

function readMarker(fs: FileSystem, layout: StorageLayout): string | undefined {
  let text: string;
  try {
    text = fs.readFileSync(layout.marker, 'utf8');
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return undefined;
    throw error;
  }
  const marker = parse(text);
  if (!isObject(marker) || typeof marker.id !== 'string' || typeof marker.format !== 'number')
    throw storageErrors.STORAGE_MARKER_DAMAGED(layout.marker);
  if (marker.format > format) throw storageErrors.STORAGE_NEWER(layout.root, marker.format);
  return marker.id;
}

// Several processes may start on one new folder: the link succeeds for one, the others take its marker.
function writeMarker(fs: FileSystem, layout: StorageLayout): string {
  const id = randomUUID();
  const part = `${layout.marker}.${id}`;
  fs.writeFileSync(part, `${JSON.stringify({ format, id })}\n`, { mode: 0o444 });
  try {
    fs.linkSync(part, layout.marker);
    return id;
  } catch (error) {
    const winner = isErrno(error, 'EEXIST') ? readMarker(fs, layout) : undefined;
    if (winner === undefined) throw error;
    return winner;
  } finally {
    fs.unlinkSync(part);
  }
}

function parse(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
