// Digests of files and directories read straight from the disk, with no memory. An engine passes its own function that
// remembers digests by inode, size and modification time.
import { createHash, type Hash, hash as hashOf } from 'node:crypto';
import { createReadStream, type Stats } from 'node:fs';
import { lstat, readdir, readFile, readlink, stat } from 'node:fs/promises';
import { join } from 'node:path';
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
  const hash = createHash('sha256');
  await addTree(root, '', hash);
  return hash.digest('hex');
}

/** One framed line an entry: kind, relative path, and contents or target; names in the order of their code units. */
async function addTree(root: string, inner: string, hash: Hash): Promise<void> {
  for (const name of (await readdir(join(root, inner))).sort()) {
    const relative = inner === '' ? name : `${inner}/${name}`;
    const path = join(root, relative);
    const facts = await lstat(path);
    const content = facts.isFile()
      ? await fileSha256(path)
      : facts.isSymbolicLink()
        ? await readlink(path)
        : '';
    const kind = facts.isFile()
      ? 'file'
      : facts.isDirectory()
        ? 'directory'
        : facts.isSymbolicLink()
          ? 'link'
          : 'other';
    hash.update(`${JSON.stringify([kind, relative, (facts.mode & 0o100) !== 0, content])}\n`);
    if (facts.isDirectory()) await addTree(root, relative, hash);
  }
}
