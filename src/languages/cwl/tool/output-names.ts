// Names for files that have to share a folder: the wanted one while it is free, else with a number before its extension.
import { posix } from 'node:path';
import { splitName } from '../values/file-object.ts';

export class OutputNames {
  private readonly taken = new Map<string, string | undefined>();
  /** By name and source, what was given out; by name, the last number: a thousand files of one name are no search each. */
  private readonly given = new Map<string, string>();
  private readonly lastNumbers = new Map<string, number>();

  /** Whether a name can be had as it is. */
  isFree(path: string, source: string | undefined): boolean {
    return !this.taken.has(path) || (source !== undefined && this.taken.get(path) === source);
  }

  reserve(path: string, source: string): void {
    this.taken.set(path, source);
  }

  /** A free path in `folder` for a name; the same source under the same name gets the same path again. */
  take(name: string, source: string | undefined, folder = ''): string {
    const wanted = posix.join(folder, name);
    const known = source === undefined ? undefined : this.given.get(`${wanted}\0${source}`);
    if (known !== undefined && this.taken.get(known) === source) return known;
    const path = this.isFree(wanted, source) ? wanted : this.numbered(name, folder, wanted);
    this.taken.set(path, source);
    if (source !== undefined) this.given.set(`${wanted}\0${source}`, path);
    return path;
  }

  private numbered(name: string, folder: string, wanted: string): string {
    const { nameroot, nameext } = splitName(name);
    for (let number = (this.lastNumbers.get(wanted) ?? 1) + 1; ; number += 1) {
      const path = posix.join(folder, `${nameroot}_${number}${nameext}`);
      if (this.taken.has(path)) continue;
      this.lastNumbers.set(wanted, number);
      return path;
    }
  }
}
