// What was put at places that the user named, so that a later run replaces its own earlier result and nothing else. The
// records lie in the storage: no marker files among the user's results.
import { hash, randomUUID } from 'node:crypto';
import type { FileSystem } from './file-system.ts';
import { type ScannedEntry, scanTree } from './scan-tree.ts';
import { isErrno } from './storage-error.ts';
import { parentFolder } from './storage-folders.ts';

/** One thing as it was placed; a file by size and time, a link by its text. */
interface PlacedEntry {
  readonly path: string;
  readonly kind: ScannedEntry['kind'];
  readonly size?: number;
  readonly modifiedAt?: number;
  readonly target?: string;
}

export interface Placement {
  /** Digest of what was placed. */
  readonly digest: string;
  readonly entries: readonly PlacedEntry[];
}

export class PlacementRecords {
  readonly #fs: FileSystem;
  readonly #folder: string;

  constructor(fs: FileSystem, folder: string) {
    this.#fs = fs;
    this.#folder = folder;
  }

  /** What may be at the target: the last placement, and another one if a process died while replacing it. */
  read(target: string): readonly Placement[] {
    try {
      return JSON.parse(this.#fs.readFileSync(this.#pathOf(target), 'utf8')).placements;
    } catch (error) {
      // A damaged record is like none: the target then counts as foreign.
      if (isErrno(error, 'ENOENT') || error instanceof SyntaxError) return [];
      throw error;
    }
  }

  write(target: string, placements: readonly Placement[]): void {
    const path = this.#pathOf(target);
    const part = `${path}.${randomUUID()}`;
    this.#fs.mkdirSync(parentFolder(path), { recursive: true });
    this.#fs.writeFileSync(part, JSON.stringify({ target, placements }));
    this.#fs.renameSync(part, path);
  }

  #pathOf(target: string): string {
    const name = hash('sha256', target, 'hex');
    return `${this.#folder}/${name.slice(0, 2)}/${name.slice(2)}.json`;
  }
}

/** What is at `path` now, in the form in which it is recorded; undefined when nothing is there. */
export async function describePlaced(
  fs: FileSystem,
  path: string,
): Promise<readonly PlacedEntry[] | undefined> {
  const stats = fs.lstatSync(path, { throwIfNoEntry: false });
  if (!stats) return undefined;
  if (stats.isDirectory()) return (await scanTree(fs, path, stats, false)).map(placedEntry);
  if (stats.isSymbolicLink()) return [{ path: '', kind: 'symlink', target: fs.readlinkSync(path) }];
  const { size, mtimeMs: modifiedAt } = stats;
  return [{ path: '', kind: stats.isFile() ? 'file' : 'special', size, modifiedAt }];
}

/** The first thing at a target that a placement did not put there as it is now; undefined when there is none. */
export function foreignEntry(
  found: readonly PlacedEntry[],
  placements: readonly Placement[],
): { readonly path: string; readonly was: 'changed' | 'added' } | undefined {
  let foreign: { path: string; was: 'changed' | 'added' } | undefined;
  for (const { entries } of placements) {
    const placed = new Map(entries.map((entry) => [entry.path, entry]));
    const odd = found.find((entry) => !isSame(entry, placed.get(entry.path)));
    if (!odd) return undefined;
    foreign = { path: odd.path, was: placed.has(odd.path) ? 'changed' : 'added' };
  }
  return foreign ?? (found[0] && { path: found[0].path, was: 'added' });
}

function isSame(found: PlacedEntry, placed: PlacedEntry | undefined): boolean {
  return (
    placed !== undefined &&
    placed.kind === found.kind &&
    placed.size === found.size &&
    placed.modifiedAt === found.modifiedAt &&
    placed.target === found.target
  );
}

function placedEntry({ path, kind, sizeBytes: size, modifiedAt, target }: ScannedEntry): PlacedEntry {
  if (kind === 'directory') return { path, kind };
  return kind === 'symlink' ? { path, kind, target } : { path, kind, size, modifiedAt };
}
