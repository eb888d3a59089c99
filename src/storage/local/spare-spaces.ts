// Directories of attempts that left nothing in them, kept for attempts to come: on many file systems three folders and two log files
// cost as much to make and to remove as a short command costs to run. A spare one lies where its attempt left it until it is moved to the
// next, so that a process that dies leaves no more behind than it would have left without.
import type { AttemptSpace } from '../../core/ports/storage.ts';
import type { FileSystem } from './file-system.ts';
import { isErrno } from './storage-error.ts';
import { makeFolder } from './storage-root.ts';

/** About as many as a launcher has waiting at most. */
const mostSpares = 300;
const logs = ['stderr', 'stdout'];

export class SpareSpaces {
  readonly #fs: FileSystem;
  readonly #directories: string[] = [];
  readonly #mode = 0o777 & ~process.umask();

  constructor(fs: FileSystem) {
    this.#fs = fs;
  }

  /**
   * Takes the directory of an attempt of which no process is left, and whose output has been moved away; false when it holds anything
   * that counts, or anything that the job made of it.
   */
  keep(space: AttemptSpace): boolean {
    if (this.#directories.length >= mostSpares) return false;
    try {
      if (!this.#isEmpty(space)) return false;
    } catch (error) {
      if (isErrno(error, 'ENOENT', 'EACCES')) return false;
      throw error;
    }
    this.#directories.push(space.directory);
    return true;
  }

  /** Makes a spare directory the one of the attempt, with its folders `work` and `logs`; false when there is none. */
  reuse(space: AttemptSpace, within: (path: string, make: () => void) => void): boolean {
    const spare = this.#directories.pop();
    if (spare === undefined) return false;
    try {
      within(space.directory, () => this.#fs.renameSync(spare, space.directory));
    } catch (error) {
      // Cleaned away meanwhile, or the attempt has a directory already.
      if (isErrno(error, 'ENOENT', 'ENOTEMPTY', 'EEXIST')) return false;
      throw error;
    }
    // A clean-up may have been at it before it got its new name.
    for (const folder of [space.work, space.logs])
      if (!this.#fs.existsSync(folder)) makeFolder(this.#fs, folder);
    return true;
  }

  /** Afterwards it holds empty folders only, and logs in which nothing is. */
  #isEmpty({ directory, logs: logFolder }: AttemptSpace): boolean {
    const fs = this.#fs;
    const files: string[] = [];
    for (const entry of fs.readdirSync(directory, { withFileTypes: true })) {
      const path = `${directory}/${entry.name}`;
      if (entry.isFile()) files.push(path);
      else if (!entry.isDirectory()) return false;
      else if (path !== logFolder && !this.#isUnused(path)) return false;
    }
    for (const name of fs.readdirSync(logFolder)) {
      const log = fs.lstatSync(`${logFolder}/${name}`);
      if (!logs.includes(name) || !log.isFile() || log.size > 0 || log.nlink > 1) return false;
    }
    // What the back-end and the action type noted for themselves.
    for (const path of files) fs.unlinkSync(path);
    return true;
  }

  /** Where other folders were closed, the next attempt cannot begin, and is begun anew; where these were, its command would fail. */
  #isUnused(folder: string): boolean {
    return (
      (this.#fs.lstatSync(folder).mode & 0o777) === this.#mode && this.#fs.readdirSync(folder).length === 0
    );
  }
}
