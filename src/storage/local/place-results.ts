// Puts results where the user wants them: the output of unmanaged actions, and the folders of `--outdir`. A result appears
// complete or not at all; an earlier result of Varve is replaced, anything else that is there is never touched.
import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import { storageErrors } from '../error-codes.ts';
import { type FileSystem, nodeFileSystem } from './file-system.ts';
import { FilePlacer, placeModes } from './place-files.ts';
import { describePlaced, foreignEntry, type Placement, PlacementRecords } from './placement-records.ts';
import { TreeRemover } from './remove-tree.ts';
import { insideRemainder } from './resolve-link.ts';
import { isErrno, storageError } from './storage-error.ts';
import { parentFolder } from './storage-folders.ts';

export interface ResultPlacerOptions {
  /** Root of the storage in which the results are, and in which is recorded what was placed. */
  readonly root: string;
  readonly fs?: FileSystem;
  readonly placer?: FilePlacer;
}

// Unfinished work of a process that died: nobody builds one result for so long without touching its folder.
const abandonedMs = 24 * 3600 * 1000;
const partPrefix = '.varve-result-';

export class ResultPlacer {
  readonly #fs: FileSystem;
  readonly #root: string;
  readonly #placer: FilePlacer;
  readonly #records: PlacementRecords;
  readonly #tidied = new Set<string>();

  constructor(options: ResultPlacerOptions) {
    this.#fs = options.fs ?? nodeFileSystem;
    this.#root = resolve(options.root);
    this.#placer = options.placer ?? new FilePlacer(this.#fs);
    this.#records = new PlacementRecords(this.#fs, `${this.#root}/placed`);
  }

  /**
   * Puts the directory or file `source`, whose content digest is `digest`, at `target`. Says `unchanged` when an earlier
   * call has put the same there and nobody touched it.
   */
  async place(
    source: string,
    target: string,
    digest: string,
    use: 'keep' | 'own' = 'keep',
  ): Promise<'placed' | 'unchanged'> {
    const at = resolve(target);
    try {
      return await this.#place(source, at, digest, use);
    } catch (error) {
      if (isErrno(error, 'EEXIST', 'ENOTDIR'))
        throw storageErrors.PLACE_TARGET_FOREIGN.with({ cause: error }, at, 'a part of the path is a file');
      throw storageError(error, 'write', at);
    }
  }

  async #place(
    source: string,
    target: string,
    digest: string,
    use: 'keep' | 'own',
  ): Promise<'placed' | 'unchanged'> {
    if (insideRemainder(target, [this.#root]) !== undefined)
      throw storageErrors.PLACE_TARGET_FOREIGN(target, 'it is inside the storage');
    if (!this.#fs.existsSync(source)) throw storageErrors.PLACE_SOURCE_MISSING(source);
    const before = this.#records.read(target);
    const found = await describePlaced(this.#fs, target);
    if (found) {
      const foreign = foreignEntry(found, before);
      if (foreign) throw storageErrors.PLACE_TARGET_FOREIGN(target, reason(foreign));
      if (
        before.some(
          (each) =>
            each.digest === digest && each.entries.length === found.length && !foreignEntry(found, [each]),
        )
      )
        return 'unchanged';
    }
    const folder = parentFolder(target) || '/';
    this.#fs.mkdirSync(folder, { recursive: true });
    const remover = new TreeRemover(this.#fs, folder);
    await this.#removeAbandoned(folder, remover);
    const part = `${folder}/${partPrefix}${randomUUID()}`;
    try {
      await this.#placer.build(source, part, placeModes[use]);
      const placement: Placement = { digest, entries: (await describePlaced(this.#fs, part)) ?? [] };
      // Until the exchange is done either may be there, and both are ours.
      this.#records.write(target, [placement, ...before]);
      await this.#exchange(part, target, remover);
      this.#records.write(target, [placement]);
    } catch (error) {
      await remover.remove(part);
      throw error;
    }
    return 'placed';
  }

  // A directory cannot be renamed over one that has entries, so there is a moment with nothing at the target.
  async #exchange(part: string, target: string, remover: TreeRemover): Promise<void> {
    const there = this.#fs.lstatSync(target, { throwIfNoEntry: false });
    const old = `${part}-old`;
    if (there) this.#fs.renameSync(target, old);
    this.#fs.renameSync(part, target);
    if (there) await remover.remove(old);
  }

  async #removeAbandoned(folder: string, remover: TreeRemover): Promise<void> {
    if (this.#tidied.has(folder)) return;
    this.#tidied.add(folder);
    for (const name of this.#fs.readdirSync(folder)) {
      if (!name.startsWith(partPrefix)) continue;
      const stats = this.#fs.lstatSync(`${folder}/${name}`, { throwIfNoEntry: false });
      if (stats && Date.now() - stats.ctimeMs > abandonedMs) await remover.remove(`${folder}/${name}`);
    }
  }
}

function reason(foreign: { readonly path: string; readonly was: 'changed' | 'added' }): string {
  if (foreign.path === '') return 'Varve did not put it there';
  return foreign.was === 'changed'
    ? `${JSON.stringify(foreign.path)} in it was changed`
    : `${JSON.stringify(foreign.path)} in it was not put there by Varve`;
}
