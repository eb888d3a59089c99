// Deletes a tree whatever its modes, names and depth, tolerating that somebody else deletes it too. Node's own recursive
// removal stops at read-only directories and its asynchronous form at names that are not UTF-8. Names are kept as
// latin1 text here, in which every byte is one character.
import { randomUUID } from 'node:crypto';
import type { FileSystem } from './file-system.ts';
import { isErrno } from './storage-error.ts';
import { TimeSlice } from './time-slice.ts';

// Freeing the blocks of a large file takes a while: that happens on the thread pool.
const largeFileBytes = 64 * 1024 * 1024;
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
    await this.#removeEntry(top, { top, slice: new TimeSlice() });
  }

  async #removeEntry(path: string, work: Removal): Promise<void> {
    const stats = this.#fs.lstatSync(bytes(path), { throwIfNoEntry: false });
    if (!stats) return;
    if (!stats.isDirectory()) {
      if (stats.size < largeFileBytes || !stats.isFile()) return this.#unlink(path, work);
      return this.#fs.unlink(bytes(path)).catch(() => this.#unlink(path, work));
    }
    if (path.length < maxPathBytes) return this.#removeDirectory(path, work);
    const hoisted = `${Buffer.from(this.#trash).toString('latin1')}/deep-${randomUUID()}`;
    this.#openUp(path);
    this.#openUp(parentOf(path));
    this.#fs.renameSync(bytes(path), bytes(hoisted));
    return this.#removeDirectory(hoisted, { ...work, top: hoisted });
  }

  async #removeDirectory(path: string, work: Removal): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      for (const name of this.#list(path)) {
        if (work.slice.over) await work.slice.pause();
        await this.#removeEntry(`${path}/${name}`, work);
      }
      try {
        return await this.#fs.rmdir(bytes(path));
      } catch (error) {
        if (isErrno(error, 'ENOENT')) return;
        if (tries >= maxTries) throw error;
        if (isErrno(error, 'EACCES') && path !== work.top) this.#openUp(parentOf(path));
        // Somebody wrote into it meanwhile, or a file server keeps names of files that are still open.
        else if (!isErrno(error, 'ENOTEMPTY', 'EEXIST')) throw error;
      }
    }
  }

  #list(path: string): readonly string[] {
    const names = () => this.#fs.readdirSync(bytes(path), { encoding: 'latin1' });
    try {
      return names();
    } catch (error) {
      if (isErrno(error, 'ENOENT')) return [];
      if (!isErrno(error, 'EACCES')) throw error;
      this.#openUp(path);
      return names();
    }
  }

  #unlink(path: string, work: Removal): void {
    for (let tries = 1; ; tries += 1) {
      try {
        this.#fs.unlinkSync(bytes(path));
        return;
      } catch (error) {
        if (isErrno(error, 'ENOENT')) return;
        if (!isErrno(error, 'EACCES') || tries >= 2 || path === work.top) throw error;
        this.#openUp(parentOf(path));
      }
    }
  }

  #openUp(directory: string): void {
    this.#fs.chmodSync(bytes(directory), 0o700);
  }
}

/** One removal: folders above `top` are not ours to change. */
interface Removal {
  readonly top: string;
  readonly slice: TimeSlice;
}

function bytes(path: string): Buffer {
  return Buffer.from(path, 'latin1');
}

function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/'));
}
