// Puts a dataset, or one file of it, somewhere else: as the input of an action, as a result for the user. The cheapest way
// that is safe for the use is taken, file by file; what appears at the target is always complete.
import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { smallFileBytes } from './file-hasher.ts';
import type { FileSystem } from './file-system.ts';
import { nodeFileSystem } from './file-system.ts';
import type { TreeRemover } from './remove-tree.ts';
import { type ScannedEntry, scanTree } from './scan-tree.ts';
import { isErrno } from './storage-error.ts';
import { parentFolder } from './storage-folders.ts';
import { TimeSlice } from './time-slice.ts';

export type PlaceMode = 'symlink' | 'reflink' | 'hardlink' | 'copy';

/** Which ways are safe for a use, the cheapest first; the last one always works. */
export const placeModes = {
  /** It is only read, and for no longer than the dataset is claimed. */
  read: ['symlink'],
  /** The receiver may change it: nothing may be shared with the dataset. */
  own: ['reflink', 'copy'],
  /** It outlives the dataset and is not meant to be changed. A hard link keeps the published file's read-only mode. */
  keep: ['reflink', 'hardlink', 'copy'],
} as const satisfies Record<string, readonly PlaceMode[]>;

const unsupported = ['ENOTSUP', 'EOPNOTSUPP', 'ENOTTY', 'ENOSYS', 'EINVAL', 'EXDEV', 'EPERM', 'EMLINK'];

export class FilePlacer {
  readonly #fs: FileSystem;
  // Root writes to read-only files without noticing, so a hard link would not protect the dataset from it.
  readonly #hardlinkSafe: boolean;
  /** Pairs of devices between which a way was refused. */
  readonly #refused = new Set<string>();

  constructor(fs: FileSystem = nodeFileSystem, hardlinkSafe: boolean = process.geteuid?.() !== 0) {
    this.#fs = fs;
    this.#hardlinkSafe = hardlinkSafe;
  }

  /**
   * Makes `source` appear at `target` in one step, replacing what this process may replace there: a file or a link.
   * With `remover`, a directory there is replaced as well. Folders above the target are made.
   */
  async place(
    source: string,
    target: string,
    modes: readonly PlaceMode[],
    remover?: TreeRemover,
  ): Promise<void> {
    const folder = parentFolder(target);
    this.#fs.mkdirSync(folder, { recursive: true });
    const part = `${folder}/.varve-${randomUUID()}`;
    await this.build(source, part, modes);
    if (remover && this.#fs.lstatSync(target, { throwIfNoEntry: false })?.isDirectory())
      await remover.remove(target);
    this.#fs.renameSync(part, target);
  }

  /** Builds `source` anew at `target`, which must not exist. */
  async build(source: string, target: string, modes: readonly PlaceMode[]): Promise<void> {
    if (modes[0] === 'symlink') return this.#fs.symlinkSync(source, target);
    const real = this.#fs.realpathSync(source);
    const stats = this.#fs.statSync(real);
    const pair = `${stats.dev}>${this.#fs.statSync(parentFolder(target)).dev}`;
    if (!stats.isDirectory()) return this.#placeFile(real, target, modes, pair, stats);
    this.#fs.mkdirSync(target);
    const entries = await scanTree(this.#fs, real, stats, false);
    const slice = new TimeSlice();
    // Parents first: their paths are shorter.
    for (const entry of [...entries].sort((a, b) => a.path.length - b.path.length)) {
      if (slice.over) await slice.pause();
      const at = `${target}/${entry.path}`;
      if (entry.kind === 'directory') this.#fs.mkdirSync(at);
      else if (entry.kind === 'symlink') this.#fs.symlinkSync(entry.target, at);
      else
        await this.#placeFile(`${real}/${entry.path}`, at, modes, pair, { ...entry, size: entry.sizeBytes });
    }
  }

  async #placeFile(
    source: string,
    target: string,
    modes: readonly PlaceMode[],
    pair: string,
    facts: Pick<ScannedEntry, 'mode'> & { readonly size: number },
  ): Promise<void> {
    for (const mode of modes) {
      const way = `${mode} ${pair}`;
      if (mode === 'hardlink' && (!this.#hardlinkSafe || (facts.mode & 0o222) !== 0)) continue;
      if (this.#refused.has(way)) continue;
      try {
        return await this.#placeBy(mode, source, target, facts);
      } catch (error) {
        if (mode === 'copy' || !isErrno(error, ...unsupported)) throw error;
        this.#refused.add(way);
      }
    }
  }

  async #placeBy(
    mode: PlaceMode,
    source: string,
    target: string,
    facts: Pick<ScannedEntry, 'mode'> & { readonly size: number },
  ): Promise<void> {
    if (mode === 'symlink') return this.#fs.symlinkSync(source, target);
    if (mode === 'hardlink') return this.#fs.linkSync(source, target);
    if (mode === 'reflink') this.#fs.copyFileSync(source, target, constants.COPYFILE_FICLONE_FORCE);
    else if (facts.size <= smallFileBytes) this.#fs.copyFileSync(source, target);
    else await this.#fs.copyFile(source, target);
    this.#fs.chmodSync(target, (facts.mode & 0o100) === 0 ? 0o644 : 0o755);
  }
}
