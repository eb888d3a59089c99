// Digests of files and directories read straight from the disk, with no memory. An engine passes its own function that
// remembers digests by inode, size and modification time.
import { createHash, hash as hashOf } from 'node:crypto';
import { createReadStream, type Stats } from 'node:fs';
import { lstat, readdir, readFile, readlink, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type TreeEntry, treeDigest } from '../../core/tree-digest.ts';
import type { FileDigest } from './file-table.ts';

/** Digests of those of the paths that exist. */
export async function digestFiles(paths: readonly string[]): Promise<Map<string, FileDigest>> {
  const digests = new Map<string, FileDigest>();
  for (const path of paths) {
    const facts = await stat(path).catch(() => undefined);
    if (facts?.isFile()) digests.set(path, digestOf('file', await fileSha256(path), facts));
    else if (facts?.isDirectory()) digests.set(path, digestOf('directory', await treeSha256(path), facts));
  }
  return digests;
}

function digestOf(kind: FileDigest['kind'], sha256: string, facts: Stats): FileDigest {
  return { kind, sha256, sizeBytes: facts.size, modifiedAtMs: facts.mtimeMs };
}

const readWhole = 2 ** 20;

/** SHA-256 of a file's contents; small files at once, large ones in pieces. */
export async function fileSha256(path: string): Promise<string> {
  if ((await stat(path)).size <= readWhole) return hashOf('sha256', await readFile(path), 'hex');
  const hash = createHash('sha256');
  for await (const piece of createReadStream(path, { highWaterMark: 2 ** 20 })) hash.update(piece as Buffer);
  return hash.digest('hex');
}

async function treeSha256(root: string): Promise<string> {
  const entries: TreeEntry[] = [];
  for (const name of await readdir(root, { recursive: true })) {
    const path = join(root, name);
    const facts = await lstat(path);
    if (facts.isDirectory()) entries.push({ kind: 'directory', path: name });
    else if (facts.isSymbolicLink())
      entries.push({ kind: 'symlink', path: name, target: await readlink(path) });
    else if (facts.isFile()) {
      const executable = (facts.mode & 0o100) !== 0;
      entries.push({
        kind: 'file',
        path: name,
        executable,
        sizeBytes: facts.size,
        sha256: await fileSha256(path),
      });
    }
  }
  return treeDigest(entries);
}
