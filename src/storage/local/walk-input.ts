// Lists a user's input directory as an action will see it: links within the directory stay links, links that lead out of
// it count as what they lead to.
import { VarveError } from '../../core/errors.ts';
import { storageErrors } from '../error-codes.ts';
import type { FileSystem } from './file-system.ts';
import { insideRemainder, resolveLink } from './resolve-link.ts';
import { scanTree } from './scan-tree.ts';
import { isErrno } from './storage-error.ts';

export type InputEntry =
  | { readonly kind: 'file'; readonly path: string; readonly source: string }
  | { readonly kind: 'directory'; readonly path: string }
  | { readonly kind: 'symlink'; readonly path: string; readonly target: string };

/** The entries below `directory`; a file's `source` is where its bytes are. */
export async function walkInput(fs: FileSystem, directory: string): Promise<readonly InputEntry[]> {
  const found: InputEntry[] = [];
  await walk(fs, fs.realpathSync(directory), '', [], found);
  return found;
}

async function walk(
  fs: FileSystem,
  real: string,
  prefix: string,
  above: readonly string[],
  found: InputEntry[],
): Promise<void> {
  const scanned = await scan(fs, real);
  const byPath = new Map(scanned.map((entry) => [entry.path, entry]));
  for (const entry of scanned) {
    const path = `${prefix}${entry.path}`;
    const source = `${real}/${entry.path}`;
    if (entry.kind === 'special') throw storageErrors.INPUT_NOT_A_FILE(source);
    else if (entry.kind === 'file') found.push({ kind: 'file', path, source });
    else if (entry.kind === 'directory') found.push({ kind: 'directory', path });
    else if (!entry.target.startsWith('/') && resolveLink(byPath, entry, [real]) === 'inside')
      found.push({ kind: 'symlink', path, target: entry.target });
    else await follow(fs, source, path, entry.target, [...above, real], found);
  }
}

async function follow(
  fs: FileSystem,
  link: string,
  path: string,
  target: string,
  above: readonly string[],
  found: InputEntry[],
): Promise<void> {
  let real: string;
  try {
    real = fs.realpathSync(link);
  } catch (error) {
    if (!isErrno(error, 'ENOENT', 'ENOTDIR', 'ELOOP')) throw error;
    found.push({ kind: 'symlink', path, target });
    return;
  }
  const stats = fs.statSync(real);
  if (stats.isFile()) found.push({ kind: 'file', path, source: real });
  else if (!stats.isDirectory()) throw storageErrors.INPUT_NOT_A_FILE(link);
  else {
    if (above.some((each) => insideRemainder(each, [real]) !== undefined))
      throw storageErrors.INPUT_LINK_LOOP(link);
    found.push({ kind: 'directory', path });
    await walk(fs, real, `${path}/`, above, found);
  }
}

async function scan(fs: FileSystem, real: string) {
  try {
    return await scanTree(fs, real, fs.lstatSync(real), false);
  } catch (error) {
    if (error instanceof VarveError && error.code === 'OUTPUT_NAME_NOT_UTF8')
      throw storageErrors.INPUT_NAME_NOT_UTF8(real);
    throw error;
  }
}
