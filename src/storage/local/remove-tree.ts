// Deletes a tree whatever its modes, names and depth, tolerating that somebody else deletes it too. Node's own recursive
// removal stops at read-only directories and its asynchronous form at names that are not UTF-8. Names are kept as
// latin1 text here, in which every byte is one character.
import { randomUUID } from 'node:crypto';
import type { Dirent } from 'node:fs';
import type { FileSystem } from './file-system.ts';
import { isErrno } from './storage-error.ts';

// On the thread pool, because freeing blocks may wait for the disk (with `discard` for 100 ms), and a large file for long.
const unlinksInFlight = 8;
// Linux refuses paths of 4096 bytes; a directory this deep is first moved up.
const maxPathBytes = 3500;
const maxTries = 5;

export class TreeRemover {
  readonly #fs: FileSystem;
  readonly #trash: string;

  /** `trash` is a folder on the same file system, for directories that lie too deep. */
  constructor(fs: FileSystem, trash: string) {
    this.#fs = fs;
    this.#trash = trash;
  }

  /** Deletes the file, link or directory at `path`; what is not there is no error. */
  async remove(path: string): Promise<void> {
    const top = Buffer.from(path).toString('latin1');
    const stats = this.#fs.lstatSync(path, { throwIfNoEntry: false });
    if (stats) await (stats.isDirectory() ? this.#removeDirectory(top, top) : this.#unlink(top, top));
  }

  /** Deletes all that is in the directory but the entry called `kept`. Its folders are expected to be empty, mostly. */
  async removeAllBut(directory: string, kept: string): Promise<void> {
    const parent = Buffer.from(directory).toString('latin1');
    const gone = this.#list(parent).filter((entry) => entry.name !== kept);
    await Promise.all(
      gone.map((entry) => {
        const path = `${parent}/${entry.name}`;
        return this.#isDirectory(path, entry) ? this.#removeEmptyOrFull(path) : this.#unlink(path, path);
      }),
    );
  }

  async #removeEmptyOrFull(path: string): Promise<void> {
    try {
      await this.#fs.rmdir(bytes(path));
    } catch (error) {
      if (!isErrno(error, 'ENOENT')) await this.#removeDirectory(path, path);
    }
  }

  /** Folders above `top` are not ours to change. */
  async #removeDirectory(path: string, top: string): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      await this.#empty(path, top);
      try {
        return await this.#fs.rmdir(bytes(path));
      } catch (error) {
        if (isErrno(error, 'ENOENT')) return;
        if (tries >= maxTries) throw error;
        if (isErrno(error, 'EACCES') && path !== top) this.#openUp(parentOf(path));
        // Somebody wrote into it meanwhile, or a file server keeps names of files that are still open.
        else if (!isErrno(error, 'ENOTEMPTY', 'EEXIST')) throw error;
      }
    }
  }

  async #empty(directory: string, top: string): Promise<void> {
    const inFlight = new Set<Promise<void>>();
    const failures: unknown[] = [];
    for (const entry of this.#list(directory)) {
      if (failures.length > 0) break;
      const path = `${directory}/${entry.name}`;
      if (this.#isDirectory(path, entry)) {
        // One directory after the other: otherwise each level would multiply what is in flight.
        await this.#removeBelow(path, top).catch((error) => void failures.push(error));
        continue;
      }
      const tracked = this.#unlink(path, top)
        .catch((error) => void failures.push(error))
        .finally(() => void inFlight.delete(tracked));
      inFlight.add(tracked);
      if (inFlight.size >= unlinksInFlight) await Promise.race(inFlight);
    }
    await Promise.all(inFlight);
    if (failures.length > 0) throw failures[0];
  }

  async #removeBelow(path: string, top: string): Promise<void> {
    if (path.length < maxPathBytes) return this.#removeDirectory(path, top);
    const hoisted = `${Buffer.from(this.#trash).toString('latin1')}/deep-${randomUUID()}`;
    this.#openUp(path);
    this.#openUp(parentOf(path));
    this.#fs.renameSync(bytes(path), bytes(hoisted));
    return this.#removeDirectory(hoisted, hoisted);
  }

  #list(path: string): readonly Dirent[] {
    const entries = () => this.#fs.readdirSync(bytes(path), { encoding: 'latin1', withFileTypes: true });
    try {
      return entries();
    } catch (error) {
      if (isErrno(error, 'ENOENT')) return [];
      if (!isErrno(error, 'EACCES')) throw error;
      this.#openUp(path);
      return entries();
    }
  }

  // Some file systems do not say in a listing what an entry is. A link must never be taken for the directory it leads to.
  #isDirectory(path: string, entry: Dirent): boolean {
    if (entry.isDirectory()) return true;
    if (entry.isFile() || entry.isSymbolicLink()) return false;
    return this.#fs.lstatSync(bytes(path), { throwIfNoEntry: false })?.isDirectory() ?? false;
  }

  async #unlink(path: string, top: string): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await this.#fs.unlink(bytes(path));
      } catch (error) {
        if (isErrno(error, 'ENOENT')) return;
        if (!isErrno(error, 'EACCES') || tries >= 2 || path === top) throw error;
        this.#openUp(parentOf(path));
      }
    }
  }

  #openUp(directory: string): void {
    this.#fs.chmodSync(bytes(directory), 0o700);
  }
}

function bytes(path: string): Buffer {
  return Buffer.from(path, 'latin1');
}

function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/'));
}
