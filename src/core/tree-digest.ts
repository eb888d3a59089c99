// The content digest of a directory tree, as a pure function of its entries. Paths, kinds, the executable bit, contents and
// link targets count; times, owners and other permission bits do not, and empty directories do. The digest is the
// SHA-256 of a canonical JSON text, pinned by test vectors: a changed digest is a changed scheme.
import { createHash, hash } from 'node:crypto';
import { canonical, type Json } from './json.ts';

/** Raised whenever the meaning of a tree digest changes; old digests then never match. */
export const treeDigestScheme = 1;

/** One thing in a tree; `path` is relative, with `/`, and never has `.` or `..` parts. The root itself is no entry. */
export type TreeEntry = FileEntry | DirectoryEntry | SymlinkEntry;

export interface FileEntry {
  readonly kind: 'file';
  readonly path: string;
  readonly executable: boolean;
  readonly sizeBytes: number;
  readonly sha256: string;
}

export interface DirectoryEntry {
  readonly kind: 'directory';
  readonly path: string;
}

export interface SymlinkEntry {
  readonly kind: 'symlink';
  readonly path: string;
  readonly target: string;
}

/** What the entries of a tree add up to. */
export interface TreeSummary {
  readonly digest: string;
  readonly sizeBytes: number;
  readonly fileCount: number;
}

// Above this, the text is hashed piece by piece instead of being held whole.
const entriesPerPiece = 1024;

/** The digest of a tree; the order in which entries are given does not matter. */
export function treeDigest(entries: readonly TreeEntry[]): string {
  const sorted = sortEntries(entries);
  const opening = `[${treeDigestScheme},"tree",[`;
  if (sorted.length <= entriesPerPiece) return hash('sha256', `${opening}${textOf(sorted)}]]`, 'hex');
  const hasher = createHash('sha256').update(opening);
  for (let start = 0; start < sorted.length; start += entriesPerPiece) {
    if (start > 0) hasher.update(',');
    hasher.update(textOf(sorted.slice(start, start + entriesPerPiece)));
  }
  return hasher.update(']]').digest('hex');
}

/** Digest, total size and number of files of a tree. */
export function summarizeTree(entries: readonly TreeEntry[]): TreeSummary {
  let sizeBytes = 0;
  let fileCount = 0;
  for (const entry of entries) {
    if (entry.kind !== 'file') continue;
    sizeBytes += entry.sizeBytes;
    fileCount += 1;
  }
  return { digest: treeDigest(entries), sizeBytes, fileCount };
}

/** The entries in the order of their paths' UTF-8 bytes. */
export function sortEntries<T extends { readonly path: string }>(entries: readonly T[]): readonly T[] {
  return entries.length < 2 ? entries : [...entries].sort((a, b) => compareBytes(a.path, b.path));
}

/** Compares two strings as their UTF-8 bytes would; differs from `<` where surrogate pairs meet U+E000 and above. */
export function compareBytes(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index += 1) {
    const left = a.charCodeAt(index);
    const right = b.charCodeAt(index);
    if (left !== right) return byteRank(left) - byteRank(right);
  }
  return a.length - b.length;
}

// Surrogates stand for code points above U+FFFF, so they sort after the rest of the basic plane.
function byteRank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}

function textOf(entries: readonly TreeEntry[]): string {
  return entries.map((entry) => canonical(signedForm(entry))).join(',');
}

function signedForm(entry: TreeEntry): Json {
  switch (entry.kind) {
    case 'file':
      return [entry.path, entry.executable ? 'executable' : 'file', entry.sizeBytes, entry.sha256];
    case 'directory':
      return [entry.path, 'directory'];
    case 'symlink':
      return [entry.path, 'symlink', entry.target];
  }
}
