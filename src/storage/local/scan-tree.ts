// Lists a directory tree with what the file system says about each entry, without following links and without reading
// contents. Names must be valid UTF-8, because manifests and digests are text.
import { isUtf8 } from 'node:buffer';
import type { Stats } from 'node:fs';
import { storageErrors } from '../error-codes.ts';
import type { FileSystem } from './file-system.ts';
import { isErrno } from './storage-error.ts';
import { TimeSlice } from './time-slice.ts';

export interface ScannedEntry {
  /** Relative to the root of the scan. */
  readonly path: string;
  readonly kind: 'file' | 'directory' | 'symlink' | 'special';
  /** The twelve permission bits. */
  readonly mode: number;
  readonly sizeBytes: number;
  readonly modifiedAt: number;
  readonly linkCount: number;
  /** Text of a symbolic link; empty for others. */
  readonly target: string;
}

// Directories whose own size is beyond this have thousands of names: they are listed on the thread pool.
const largeDirectoryBytes = 64 * 1024;

/** All entries below `root`, in no particular order; with `repair`, directories that cannot be listed are opened up. */
export async function scanTree(
  fs: FileSystem,
  root: string,
  rootStats: Stats,
  repair: boolean,
): Promise<readonly ScannedEntry[]> {
  const found: ScannedEntry[] = [];
  const slice = new TimeSlice();
  const pending: { path: string; large: boolean }[] = [
    { path: '', large: rootStats.size > largeDirectoryBytes },
  ];
  for (let next = pending.pop(); next; next = pending.pop()) {
    const absolute = next.path === '' ? root : `${root}/${next.path}`;
    const names = next.large ? await fs.readdir(absolute) : listNames(fs, absolute, repair);
    for (const name of names) {
      if (slice.over) await slice.pause();
      if (name.includes('\ufffd')) refuseBrokenNames(fs, absolute, next.path);
      const path = next.path === '' ? name : `${next.path}/${name}`;
      const stats = fs.lstatSync(`${absolute}/${name}`);
      const entry = describe(fs, path, `${absolute}/${name}`, stats);
      found.push(entry);
      if (entry.kind === 'directory') pending.push({ path, large: stats.size > largeDirectoryBytes });
    }
  }
  return found;
}

function listNames(fs: FileSystem, absolute: string, repair: boolean): readonly string[] {
  try {
    return fs.readdirSync(absolute);
  } catch (error) {
    if (!repair || !isErrno(error, 'EACCES')) throw error;
    fs.chmodSync(absolute, 0o700);
    return fs.readdirSync(absolute);
  }
}

function describe(fs: FileSystem, path: string, absolute: string, stats: Stats): ScannedEntry {
  const facts = {
    path,
    mode: stats.mode & 0o7777,
    sizeBytes: stats.size,
    modifiedAt: stats.mtimeMs,
    linkCount: stats.nlink,
    target: '',
  };
  if (stats.isFile()) return { ...facts, kind: 'file' };
  if (stats.isDirectory()) return { ...facts, kind: 'directory' };
  if (!stats.isSymbolicLink()) return { ...facts, kind: 'special' };
  const target = fs.readlinkSync(absolute);
  if (target.includes('\ufffd') && !isUtf8(fs.readlinkSync(absolute, 'buffer')))
    throw storageErrors.OUTPUT_NAME_NOT_UTF8(`${path} -> ${target}`);
  return { ...facts, kind: 'symlink', target };
}

// Node decodes broken bytes to U+FFFD, which can also be a character of a proper name: only the bytes tell.
function refuseBrokenNames(fs: FileSystem, absolute: string, path: string): void {
  for (const name of fs.readdirSync(absolute, { encoding: 'buffer' })) {
    if (isUtf8(name)) continue;
    const shown = [...name].map((byte) =>
      byte > 0x20 && byte < 0x7f ? String.fromCharCode(byte) : `\\x${byte.toString(16).padStart(2, '0')}`,
    );
    throw storageErrors.OUTPUT_NAME_NOT_UTF8(`${path === '' ? '' : `${path}/`}${shown.join('')}`);
  }
}
