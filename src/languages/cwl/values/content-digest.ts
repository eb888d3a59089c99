// Digests of files and trees: SHA-1 because the standard's `checksum` asks for it, SHA-256 for identity, both in one reading.
import { createHash, hash } from 'node:crypto';
import { createReadStream, readFileSync, statSync } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { canonical } from '../../../core/json.ts';
import { cwlErrors } from '../error-codes.ts';

export interface FileDigest {
  readonly sizeBytes: number;
  readonly sha1: string;
  readonly sha256: string;
}

/** Below it reading takes less time than asking another thread to. */
const tinyBytes = 16 * 1024;
/** Below it one read is cheaper than a stream. */
const smallBytes = 1 << 20;

export async function digestFile(path: string, facts = statSync(path)): Promise<FileDigest> {
  if (facts.size <= tinyBytes) return digestBytes(readFileSync(path));
  if (facts.size <= smallBytes) return digestBytes(await readFile(path));
  const sha1 = createHash('sha1');
  const sha256 = createHash('sha256');
  let sizeBytes = 0;
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 }) as AsyncIterable<Buffer>) {
    sha1.update(chunk);
    sha256.update(chunk);
    sizeBytes += chunk.length;
  }
  return { sizeBytes, sha1: sha1.digest('hex'), sha256: sha256.digest('hex') };
}

export function digestBytes(bytes: Buffer | string): FileDigest {
  return { sizeBytes: Buffer.byteLength(bytes), sha1: hash('sha1', bytes), sha256: hash('sha256', bytes) };
}

/** One entry of a tree's digest: name, and the digest of the file or tree below. */
export interface TreeEntry {
  readonly name: string;
  readonly kind: 'File' | 'Directory';
  readonly digest: string;
}

/** The digest of a directory from those of its entries, in whatever order they come. */
export function digestEntries(entries: readonly TreeEntry[]): string {
  const sorted = [...entries].sort((a, b) => (a.name < b.name ? -1 : 1));
  return hash('sha256', canonical(sorted.map(({ name, kind, digest }) => [name, kind, digest])));
}

/** The digest of a directory on disk; links inside are followed. */
export async function digestTree(path: string): Promise<string> {
  const entries: TreeEntry[] = [];
  for (const name of await readdir(path)) {
    const child = join(path, name);
    const facts = await stat(child);
    if (facts.isDirectory()) entries.push({ name, kind: 'Directory', digest: await digestTree(child) });
    else if (facts.isFile()) entries.push({ name, kind: 'File', digest: (await digestFile(child)).sha256 });
    else throw cwlErrors.CWL_FILE_OBJECT(`${child} is neither a file nor a directory`);
  }
  return digestEntries(entries);
}
