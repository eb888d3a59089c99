// What lies below a folder, as entries of an archive. Links are told as they are, never followed.
import { lstat, readdir, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { DirectoryEntry, FileEntry, SymlinkEntry } from '../core/tree-digest.ts';

export type ArchiveEntry = Omit<FileEntry, 'sha256'> | DirectoryEntry | SymlinkEntry;

/** Parents come before what is in them. Sockets, pipes and devices are passed over. */
export async function* listTree(root: string, below = ''): AsyncGenerator<ArchiveEntry> {
  for (const name of (await readdir(join(root, below))).sort()) {
    const path = below === '' ? name : `${below}/${name}`;
    const facts = await lstat(join(root, path));
    if (facts.isDirectory()) {
      yield { kind: 'directory', path };
      yield* listTree(root, path);
    } else if (facts.isSymbolicLink()) {
      yield { kind: 'symlink', path, target: await readlink(join(root, path)) };
    } else if (facts.isFile()) {
      yield { kind: 'file', path, sizeBytes: facts.size, executable: (facts.mode & 0o100) !== 0 };
    }
  }
}
