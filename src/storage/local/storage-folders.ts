// The two-level folders of an open storage: made when first needed, made again when somebody removed them, and never made
// where the whole storage has gone away.
import { storageErrors } from '../error-codes.ts';
import type { FileSystem } from './file-system.ts';
import { isErrno } from './storage-error.ts';
import type { StorageLayout } from './storage-layout.ts';
import { makeFolder } from './storage-root.ts';

export class StorageFolders {
  readonly #fs: FileSystem;
  readonly #layout: StorageLayout;
  readonly #known = new Set<string>();

  constructor(fs: FileSystem, layout: StorageLayout) {
    this.#fs = fs;
    this.#layout = layout;
  }

  /** Runs `make`, which puts something at `path`, in a folder that is there. */
  within(path: string, make: () => void): void {
    const folder = parentFolder(path);
    if (!this.#known.has(folder)) this.#make(folder);
    try {
      make();
    } catch (error) {
      if (!isErrno(error, 'ENOENT') || this.#fs.existsSync(folder)) throw error;
      this.checkPresence();
      this.#make(folder);
      make();
    }
  }

  /** Names in a folder; none when it is not there. */
  list(folder: string): readonly string[] {
    try {
      return this.#fs.readdirSync(folder);
    } catch (error) {
      if (isErrno(error, 'ENOENT')) return [];
      throw error;
    }
  }

  /** A dataset that is not there is a miss; a storage that is not there (unmounted, deleted) must never look like one. */
  checkPresence(): void {
    if (!this.#fs.existsSync(this.#layout.marker)) throw storageErrors.STORAGE_GONE(this.#layout.root);
  }

  #make(folder: string): void {
    try {
      makeFolder(this.#fs, folder);
    } catch (error) {
      if (!isErrno(error, 'ENOENT')) throw error;
      this.checkPresence();
      this.#fs.mkdirSync(folder, { recursive: true });
    }
    this.#known.add(folder);
  }
}

export function parentFolder(path: string): string {
  return path.slice(0, path.lastIndexOf('/'));
}
