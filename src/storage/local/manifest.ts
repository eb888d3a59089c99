// The manifest of a published tree: its entries with sizes and digests, one JSON line each, beside the tree. It is written
// only where reading the files again would be slow; it is never needed, because the files say the same. The first
// line has the tree digest, so that a manifest cut short by a crash is noticed and ignored.
import { randomUUID } from 'node:crypto';
import { isObject, type Json } from '../../core/json.ts';
import type { TreeEntry } from '../../core/tree-digest.ts';
import type { FileSystem } from './file-system.ts';
import { summarizeTree, type TreeSummary } from './summarize-tree.ts';

const worthFiles = 256;
const worthBytes = 16 * 1024 * 1024;
const linesPerWrite = 2048;

/** True when reading a manifest is much cheaper than hashing the tree again. */
export function deservesManifest(entryCount: number, summary: TreeSummary): boolean {
  return entryCount >= worthFiles || summary.sizeBytes >= worthBytes;
}

/** Writes the manifest to `path`, whole or not at all; its folder must exist. */
export async function writeManifest(
  fs: FileSystem,
  path: string,
  digest: string,
  entries: readonly TreeEntry[],
): Promise<void> {
  const part = `${path}.${randomUUID()}`;
  await fs.writeFile(part, `${JSON.stringify({ digest })}\n`, { mode: 0o444 });
  try {
    for (let start = 0; start < entries.length; start += linesPerWrite) {
      const lines = entries.slice(start, start + linesPerWrite).map((entry) => `${JSON.stringify(entry)}\n`);
      await fs.appendFile(part, lines.join(''));
    }
    fs.renameSync(part, path);
  } catch (error) {
    await fs.unlink(part).catch(() => undefined);
    throw error;
  }
}

/** The entries in a manifest; undefined when there is none or it is damaged. */
export async function readManifest(fs: FileSystem, path: string): Promise<readonly TreeEntry[] | undefined> {
  const text = await fs.readFile(path, 'utf8').catch(() => '');
  const [head, ...lines] = text.split('\n');
  if (!head || lines.pop() !== '') return undefined;
  try {
    const entries = lines.map((line) => JSON.parse(line) as TreeEntry);
    const header = JSON.parse(head) as Json;
    const { digest } = await summarizeTree(entries);
    return isObject(header) && header.digest === digest ? entries : undefined;
  } catch {
    return undefined;
  }
}
