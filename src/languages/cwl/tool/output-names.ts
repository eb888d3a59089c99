// Names for files that have to share a folder: the wanted one while it is free, else with a number before its extension.
import { posix } from 'node:path';
import { splitName } from '../values/file-object.ts';

export class OutputNames {
  private readonly taken = new Map<string, string | undefined>();

  /** Whether a name can be had as it is. */
  isFree(path: string, source: string | undefined): boolean {
    return !this.taken.has(path) || (source !== undefined && this.taken.get(path) === source);
  }

  reserve(path: string, source: string): void {
    this.taken.set(path, source);
  }

  /** A free path in `folder` for a name; the same source under the same name gets the same path again. */
  take(name: string, source: string | undefined, folder = ''): string {
    const { nameroot, nameext } = splitName(name);
    for (let number = 1; ; number += 1) {
      const path = posix.join(folder, number === 1 ? name : `${nameroot}_${number}${nameext}`);
      if (!this.taken.has(path)) {
        this.taken.set(path, source);
        return path;
      }
      if (source !== undefined && this.taken.get(path) === source) return path;
    }
  }
}
