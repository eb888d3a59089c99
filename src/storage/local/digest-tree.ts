// Reads the contents of a scanned tree and makes its entries with digests; on the way it can take away write permission
// and bring the contents to the disk, because the files are open anyway.
import { constants } from 'node:fs';
import type { TreeEntry } from '../../core/tree-digest.ts';
import { storageErrors } from '../error-codes.ts';
import type { DiskSync } from './disk-sync.ts';
import { type FileHasher, smallFileBytes } from './file-hasher.ts';
import type { FileSystem } from './file-system.ts';
import type { FileHash } from './hash-threads.ts';
import type { ScannedEntry } from './scan-tree.ts';
import { isErrno } from './storage-error.ts';
import { sortTree } from './summarize-tree.ts';
import { TimeSlice } from './time-slice.ts';

export interface DigestTools {
  readonly fs: FileSystem;
  readonly hasher: FileHasher;
}

/** Sealing while digesting: everything becomes read-only, and durable as far as `sync` says. */
export interface Sealing {
  readonly sync: DiskSync;
}

// Open files at one time; each may wait for a hashing thread or for the disk.
const maxOpen = 64;
// A pipe that took the place of a file must not make `open` wait, nor a link lead elsewhere.
const openFlags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** The entries of the tree at `root`, in the order of their paths' bytes; special files must have been refused before. */
export async function digestTree(
  tools: DigestTools,
  root: string,
  scanned: readonly ScannedEntry[],
  sealing?: Sealing,
): Promise<readonly TreeEntry[]> {
  const entries: TreeEntry[] = [];
  const inFlight = new Set<Promise<void>>();
  const failures: unknown[] = [];
  const slice = new TimeSlice();
  try {
    for (const entry of await sortTree(scanned)) {
      if (slice.over) await slice.pause();
      if (failures.length > 0) break;
      const index = entries.push(withoutContents(entry)) - 1;
      if (entry.kind !== 'file') continue;
      const later = digestFile(tools, `${root}/${entry.path}`, entry, sealing, (digested) => {
        entries[index] = digested;
      });
      if (!later) continue;
      const tracked = later
        .catch((error) => void failures.push(error))
        .finally(() => void inFlight.delete(tracked));
      inFlight.add(tracked);
      if (inFlight.size >= maxOpen) await Promise.race(inFlight);
    }
  } finally {
    // Nothing may go on reading when the caller is told of a failure.
    await Promise.all(inFlight);
  }
  if (failures.length > 0) throw failures[0];
  if (sealing) await sealDirectories(tools.fs, root, scanned, sealing);
  return entries;
}

function withoutContents({ kind, path, target, ...file }: ScannedEntry): TreeEntry {
  if (kind === 'directory') return { kind, path };
  if (kind === 'symlink') return { kind, path, target };
  return { kind: 'file', path, executable: isExecutable(file), sizeBytes: file.sizeBytes, sha256: '' };
}

function isExecutable(entry: Pick<ScannedEntry, 'mode'>): boolean {
  return (entry.mode & 0o100) !== 0;
}

// Small files are done when it returns undefined; otherwise the promise tells.
function digestFile(
  { fs, hasher }: DigestTools,
  absolute: string,
  entry: ScannedEntry,
  sealing: Sealing | undefined,
  done: (entry: TreeEntry) => void,
): Promise<void> | undefined {
  const { path } = entry;
  const executable = isExecutable(entry);
  const finish = ({ digest, sizeBytes }: FileHash) =>
    done({ kind: 'file', path, executable, sizeBytes, sha256: digest });
  const fd = openFile(fs, absolute, entry, sealing !== undefined);
  let later: Promise<void> | undefined;
  try {
    if (sealing) restrict(fs, fd, entry, executable ? 0o555 : 0o444);
    const hash = entry.sizeBytes <= smallFileBytes ? hasher.hashSmall(fd) : undefined;
    if (hash) finish(hash);
    else later = hasher.hashLarge(fd, entry.sizeBytes).then(finish);
    if (sealing?.sync.enabled) later = bothDone(later, sealing.sync.descriptor(fd));
    later = later?.finally(() => fs.closeSync(fd));
    return later;
  } finally {
    if (!later) fs.closeSync(fd);
  }
}

// Both use the descriptor, so it may be closed only when both are done, whatever happened to either.
async function bothDone(...parts: readonly (Promise<void> | undefined)[]): Promise<void> {
  for (const outcome of await Promise.allSettled(parts))
    if (outcome.status === 'rejected') throw outcome.reason;
}

function openFile(fs: FileSystem, absolute: string, entry: ScannedEntry, repair: boolean): number {
  try {
    return fs.openSync(absolute, openFlags);
  } catch (error) {
    if (!repair || !isErrno(error, 'EACCES')) throw error;
    try {
      fs.chmodSync(absolute, 0o600 | (entry.mode & 0o100));
    } catch (refused) {
      throw storageErrors.OUTPUT_NOT_OWNED.with({ cause: refused }, entry.path);
    }
    return fs.openSync(absolute, openFlags);
  }
}

async function sealDirectories(
  fs: FileSystem,
  root: string,
  scanned: readonly ScannedEntry[],
  { sync }: Sealing,
): Promise<void> {
  const slice = new TimeSlice();
  for (const entry of scanned) {
    if (entry.kind !== 'directory' || (entry.mode === 0o555 && !sync.enabled)) continue;
    if (slice.over) await slice.pause();
    const fd = fs.openSync(`${root}/${entry.path}`, openFlags | constants.O_DIRECTORY);
    try {
      restrict(fs, fd, entry, 0o555);
      if (sync.enabled) await sync.descriptor(fd);
    } finally {
      fs.closeSync(fd);
    }
  }
}

function restrict(fs: FileSystem, fd: number, entry: ScannedEntry, mode: number): void {
  if (entry.mode === mode) return;
  try {
    fs.fchmodSync(fd, mode);
  } catch (error) {
    if (isErrno(error, 'EPERM')) throw storageErrors.OUTPUT_NOT_OWNED.with({ cause: error }, entry.path);
    throw error;
  }
}
