// The content digest of a directory tree, as a pure function of its entries. Paths, kinds, the executable bit, contents and
// link targets count; times, owners and other permission bits do not, and empty directories do. The digest is the
// SHA-256 of a canonical JSON text, pinned by test vectors: a changed digest is a changed scheme.
import { createHash, hash } from 'node:crypto';

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

const opening = `[${treeDigestScheme},"tree",[`;
const closing = ']]';

/** The digest of a tree; the order in which entries are given does not matter. */
export function treeDigest(entries: readonly TreeEntry[]): string {
  const sorted = sortEntries(entries);
  if (sorted.length <= entriesPerPiece) return hash('sha256', `${opening}${textOf(sorted)}${closing}`, 'hex');
  const digester = new TreeDigester();
  for (const piece of inPieces(sorted)) digester.add(piece);
  return digester.digest();
}

// So many entries are turned into text at a time: a large tree is never one string.
const entriesPerPiece = 1024;

/** A list cut into pieces that are digested in well under a millisecond each. */
export function* inPieces<T>(list: readonly T[]): Iterable<readonly T[]> {
  for (let start = 0; start < list.length; start += entriesPerPiece)
    yield list.slice(start, start + entriesPerPiece);
}

/** Makes the digest of a tree piece by piece, so that a large one need not be done in one go. */
export class TreeDigester {
  readonly #hasher = createHash('sha256').update(opening);
  #empty = true;

  /** The next entries; all of them together must come in the order of `compareBytes`. */
  add(entries: readonly TreeEntry[]): void {
    if (entries.length === 0) return;
    this.#hasher.update(this.#empty ? textOf(entries) : `,${textOf(entries)}`);
    this.#empty = false;
  }

  digest(): string {
    return this.#hasher.update(closing).digest('hex');
  }
}

/** Total size and number of files of a tree. */
export function countFiles(entries: readonly TreeEntry[]): { sizeBytes: number; fileCount: number } {
  let sizeBytes = 0;
  let fileCount = 0;
  for (const entry of entries) {
    if (entry.kind !== 'file') continue;
    sizeBytes += entry.sizeBytes;
    fileCount += 1;
  }
  return { sizeBytes, fileCount };
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

// Lists of strings and whole numbers: their JSON is canonical as it stands.
function textOf(entries: readonly TreeEntry[]): string {
  return entries.map((entry) => JSON.stringify(signedForm(entry))).join(',');
}

function signedForm(entry: TreeEntry): readonly (string | number)[] {
  switch (entry.kind) {
    case 'file':
      return [entry.path, entry.executable ? 'executable' : 'file', entry.sizeBytes, entry.sha256];
    case 'directory':
      return [entry.path, 'directory'];
    case 'symlink':
      return [entry.path, 'symlink', entry.target];
  }
}
