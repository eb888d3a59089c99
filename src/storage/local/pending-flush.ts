// Datasets that were published with durability `normal` and may not be on disk yet, and the flush that brings them there.
// One `sync -f` (the system call syncfs, which Node does not offer) serves any number of them: 500 tiny datasets take
// 25 ms, where an fsync for each file takes 80. For a few, and where that command is missing, each file is synchronised: that starts
// no process, and does not wait for what others have written to the same disk.
import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { promisify } from 'node:util';
import { DiskSync } from './disk-sync.ts';
import type { FileSystem } from './file-system.ts';
import { scanTree } from './scan-tree.ts';
import { errnoOf, isErrno } from './storage-error.ts';
import { parentFolder } from './storage-folders.ts';

const run = promisify(execFile);
// When nobody asks for a flush, one is made after so many datasets: the list stays short. And one is made after so many bytes: the disk
// works while the next actions run, and whoever waits for the last flush waits for little.
const mostPending = 4096;
const mostPendingBytes = 128 * 2 ** 20;
/** Up to so many datasets are synchronised one by one. */
const few = 8;

export class PendingFlush {
  readonly #fs: FileSystem;
  readonly #root: string;
  readonly #sync: DiskSync;
  #pending = new Set<string>();
  #pendingBytes = 0;
  #running: Promise<void> = Promise.resolve();

  constructor(fs: FileSystem, root: string) {
    this.#fs = fs;
    this.#root = root;
    this.#sync = new DiskSync(fs, 'full');
  }

  /** Notes a published tree and how large it is. */
  add(path: string, sizeBytes: number): void {
    this.#pending.add(path);
    this.#pendingBytes += sizeBytes;
    if (this.#pending.size % mostPending !== 0 && this.#pendingBytes < mostPendingBytes) return;
    this.#pendingBytes = 0;
    // A failure keeps the paths pending, and the next flush that somebody waits for tells it.
    this.flush().catch(() => undefined);
  }

  /** Resolves when everything that was added before the call is on disk. */
  flush(): Promise<void> {
    this.#running = this.#running.catch(() => undefined).then(() => this.#flushPending());
    return this.#running;
  }

  /** Resolves when no flush is under way. */
  settled(): Promise<void> {
    return this.#running.catch(() => undefined);
  }

  async #flushPending(): Promise<void> {
    const paths = this.#pending;
    if (paths.size === 0) return;
    this.#pending = new Set();
    try {
      if (paths.size <= few || !(await this.#syncFileSystem()))
        await Promise.all([...paths].map((path) => this.#syncTree(path)));
    } catch (error) {
      for (const path of paths) this.#pending.add(path);
      throw error;
    }
  }

  /** False when the machine has no command for it; a write error that the kernel reports is thrown. */
  async #syncFileSystem(): Promise<boolean> {
    try {
      await run('sync', ['-f', this.#root], { env: { ...process.env, LC_ALL: 'C' } });
      return true;
    } catch (error) {
      if (errnoOf(error) !== undefined) return false;
      const said = String((error as { stderr?: unknown }).stderr);
      if (/Input\/output error/.test(said)) throw systemError('EIO', said);
      if (/No space left/.test(said)) throw systemError('ENOSPC', said);
      return false;
    }
  }

  async #syncTree(path: string): Promise<void> {
    try {
      const entries = await scanTree(this.#fs, path, this.#fs.lstatSync(path), false);
      const named = entries
        .filter((entry) => entry.kind !== 'symlink')
        .map((entry) => `${path}/${entry.path}`);
      for (const each of [...named, path, parentFolder(path)]) await this.#syncOne(each);
    } catch (error) {
      // Removed meanwhile.
      if (!isErrno(error, 'ENOENT', 'ENOTDIR')) throw error;
    }
  }

  async #syncOne(path: string): Promise<void> {
    const fd = this.#fs.openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      await this.#sync.descriptor(fd);
    } finally {
      this.#fs.closeSync(fd);
    }
  }
}

function systemError(code: string, said: string): Error {
  return Object.assign(new Error(`${code}: ${said.trim()}`), { code, syscall: 'syncfs' });
}
