// Carries out the steps of a seal plan. Each replacement is made in a folder beside the output directory and renamed over
// the entry, so that after a crash the entry is either the old one or the new one and the seal can be repeated.

import { hash } from 'node:crypto';
import { constants } from 'node:fs';
import { storageErrors } from '../error-codes.ts';
import { smallFileBytes } from './file-hasher.ts';
import type { FileSystem } from './file-system.ts';
import type { SealStep } from './plan-seal.ts';
import { insideRemainder, parentOf, resolveLink } from './resolve-link.ts';
import { type ScannedEntry, scanTree } from './scan-tree.ts';
import { isErrno } from './storage-error.ts';

export interface SealPlaces {
  /** The output directory. */
  readonly out: string;
  /** Folder for replacements, on the same file system; made when needed. */
  readonly seal: string;
}

/** Applies one step; `shared` gets the identity of every file that was hard-linked from a published dataset. */
export async function applySealStep(
  fs: FileSystem,
  places: SealPlaces,
  step: SealStep,
  shared: Set<string>,
): Promise<void> {
  const own = `${places.seal}/${hash('sha256', step.path, 'hex').slice(0, 32)}`;
  fs.mkdirSync(own, { recursive: true });
  const made = `${own}/made`;
  const at = `${places.out}/${step.path}`;
  removeFile(fs, made);
  if (step.do === 'relink') fs.symlinkSync(step.target, made);
  else if (step.do === 'unshare') await copyFile(fs, at, made);
  else if (isDirectory(fs, step)) {
    // A directory cannot be renamed over a link. The note says that the copy is complete, so that a repeated seal
    // finishes the exchange if the process dies between removing the link and putting the directory there.
    await copyDirectory(fs, step.source, made, step.share ? shared : undefined);
    fs.writeFileSync(`${own}/path`, step.path);
    finishExchange(fs, places, own);
    return;
  } else await giveFile(fs, step.source, made, step.share ? shared : undefined);
  withWritableParent(fs, at, () => fs.renameSync(made, at));
}

/** Finishes exchanges of links for directories that a crash interrupted. */
export function finishExchanges(fs: FileSystem, places: SealPlaces): void {
  if (!fs.existsSync(places.seal)) return;
  for (const name of fs.readdirSync(places.seal)) finishExchange(fs, places, `${places.seal}/${name}`);
}

function finishExchange(fs: FileSystem, places: SealPlaces, own: string): void {
  if (!fs.existsSync(`${own}/path`)) return;
  const at = `${places.out}/${fs.readFileSync(`${own}/path`, 'utf8')}`;
  if (fs.existsSync(`${own}/made`))
    withWritableParent(fs, at, () => {
      removeFile(fs, at);
      fs.renameSync(`${own}/made`, at);
    });
  fs.unlinkSync(`${own}/path`);
}

async function copyDirectory(
  fs: FileSystem,
  source: string,
  target: string,
  shared: Set<string> | undefined,
): Promise<void> {
  const entries = await scanTree(fs, source, fs.lstatSync(source), false);
  const byPath = new Map(entries.map((entry) => [entry.path, entry]));
  fs.mkdirSync(target, { recursive: true });
  // Parents first: their paths are shorter.
  for (const entry of [...entries].sort((a, b) => a.path.length - b.path.length)) {
    const at = `${target}/${entry.path}`;
    if (entry.kind === 'directory') fs.mkdirSync(at, { recursive: true });
    else {
      removeFile(fs, at);
      if (entry.kind === 'special') throw storageErrors.OUTPUT_SPECIAL_FILE(at);
      if (entry.kind === 'symlink') fs.symlinkSync(carriedText(byPath, entry, source), at);
      else await giveFile(fs, `${source}/${entry.path}`, at, shared);
    }
  }
}

function isDirectory(fs: FileSystem, step: { readonly path: string; readonly source: string }): boolean {
  const stats = fs.statSync(step.source);
  if (!stats.isDirectory() && !stats.isFile()) throw storageErrors.OUTPUT_SPECIAL_FILE(step.path);
  return stats.isDirectory();
}

// A link that leaves the copied part is kept as an absolute one: the next round of planning resolves or refuses it.
function carriedText(byPath: ReadonlyMap<string, ScannedEntry>, link: ScannedEntry, source: string): string {
  const absolute = link.target.startsWith('/');
  if (!absolute && resolveLink(byPath, link, [source]) === 'inside') return link.target;
  if (!absolute) return `${source}/${parentOf(link.path)}/${link.target}`;
  const remainder = insideRemainder(link.target, [source]);
  if (remainder === undefined) return link.target;
  return `${'../'.repeat(link.path.split('/').length - 1)}${remainder}` || '.';
}

async function giveFile(
  fs: FileSystem,
  source: string,
  target: string,
  shared: Set<string> | undefined,
): Promise<void> {
  if (!shared) return copyFile(fs, source, target);
  try {
    fs.linkSync(source, target);
  } catch (error) {
    if (!isErrno(error, 'EMLINK', 'EXDEV', 'EPERM', 'ENOTSUP')) throw error;
    return copyFile(fs, source, target);
  }
  shared.add(identityOf(fs, target));
}

async function copyFile(fs: FileSystem, source: string, target: string): Promise<void> {
  if (fs.statSync(source).size <= smallFileBytes) fs.copyFileSync(source, target, constants.COPYFILE_FICLONE);
  else await fs.copyFile(source, target, constants.COPYFILE_FICLONE);
}

/** Device and inode as text. */
export function identityOf(fs: FileSystem, path: string): string {
  const stats = fs.lstatSync(path, { bigint: true });
  return `${stats.dev}:${stats.ino}`;
}

function removeFile(fs: FileSystem, path: string): void {
  try {
    fs.unlinkSync(path);
  } catch (error) {
    if (!isErrno(error, 'ENOENT', 'EISDIR', 'EPERM')) throw error;
  }
}

// A command may have taken the write permission from a directory of its output.
function withWritableParent(fs: FileSystem, path: string, change: () => void): void {
  try {
    change();
  } catch (error) {
    if (!isErrno(error, 'EACCES')) throw error;
    fs.chmodSync(path.slice(0, path.lastIndexOf('/')), 0o700);
    change();
  }
}
