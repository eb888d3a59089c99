// A storage that keeps everything in memory: no disk, no thread pool, so a seeded simulation of the engine repeats exactly and runs
// thousands of times in a minute. Paths look like those of a local storage, but only `read` and `write` of this class know them.
import { hash } from 'node:crypto';
import type {
  AttemptSpace,
  DatasetStorage,
  DiscardOptions,
  ExpectedFiles,
  Inspection,
  InspectionDepth,
  PublishedFiles,
  StorageUsage,
} from '../core/ports/storage.ts';
import { countFiles, sortEntries, type TreeEntry, treeDigest } from '../core/tree-digest.ts';
import { storageErrors } from './error-codes.ts';

/** Contents by path relative to the tree's root. */
type Tree = Map<string, string>;

const root = '/memory';
const namePattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;
const locationPattern = /^dataset-[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;

export class MemoryStorage implements DatasetStorage {
  readonly name = 'memory';
  readonly #attempts = new Map<string, Tree>();
  readonly #datasets = new Map<string, Tree>();
  readonly #placed = new Map<string, Tree>();

  async openAttempt(key: string): Promise<AttemptSpace> {
    const space = this.attemptSpace(key);
    const tree = this.#attempts.get(key) ?? new Map<string, string>();
    this.#attempts.set(key, tree);
    tree.set('out/', '');
    return space;
  }

  attemptSpace(key: string): AttemptSpace {
    const directory = `${root}/attempts/${checkedKey(key)}`;
    return {
      directory,
      work: `${directory}/work`,
      out: `${directory}/out`,
      logs: `${directory}/logs`,
      control: `${directory}/control`,
    };
  }

  locationOf(key: string): string {
    return `dataset-${checkedKey(key)}`;
  }

  async publish(key: string): Promise<PublishedFiles> {
    const location = this.locationOf(key);
    const tree = this.#attempts.get(key);
    if (!this.#datasets.has(location)) {
      if (!tree?.has('out/')) throw storageErrors.OUTPUT_FOLDER_MISSING(this.attemptSpace(key).out);
      this.#datasets.set(location, takeOut(tree));
    }
    return this.#describe(location);
  }

  async place(location: string, path: string): Promise<void> {
    this.#placed.set(path, new Map(this.#tree(location)));
  }

  async discardAttempt(key: string, options: DiscardOptions = { keepLogs: true }): Promise<void> {
    const tree = this.#attempts.get(checkedKey(key));
    if (!tree) return;
    if (!options.keepLogs) this.#attempts.delete(key);
    for (const path of tree.keys()) if (!path.startsWith('logs/')) tree.delete(path);
  }

  path(location: string): string {
    return `${root}/datasets/${checkedLocation(location)}`;
  }

  async entries(location: string): Promise<readonly TreeEntry[]> {
    return entriesOf(this.#tree(location));
  }

  async inspect(location: string, expected: ExpectedFiles, depth: InspectionDepth): Promise<Inspection> {
    if (!this.#datasets.has(checkedLocation(location))) return 'missing';
    if (depth === 'exists') return 'intact';
    const found = this.#describe(location);
    const same =
      depth === 'contents'
        ? found.digest === expected.digest
        : found.sizeBytes === expected.sizeBytes &&
          (expected.fileCount === undefined || found.fileCount === expected.fileCount);
    return same ? 'intact' : 'damaged';
  }

  async inspectMany(locations: readonly string[]): Promise<readonly ('intact' | 'missing')[]> {
    return locations.map((location) => (this.#datasets.has(location) ? 'intact' : 'missing'));
  }

  async remove(location: string): Promise<void> {
    this.#datasets.delete(checkedLocation(location));
  }

  async *locations(): AsyncIterable<string> {
    yield* [...this.#datasets.keys()];
  }

  async *attempts(): AsyncIterable<string> {
    yield* [...this.#attempts.keys()];
  }

  async usage(): Promise<StorageUsage> {
    let used = 0;
    for (const tree of this.#datasets.values()) for (const text of tree.values()) used += text.length;
    const totalBytes = 2 ** 40;
    return { freeBytes: totalBytes - used, totalBytes };
  }

  async flush(): Promise<void> {}

  async close(): Promise<void> {}

  /** Writes a file into an attempt's space, as its command would. */
  write(path: string, text: string): void {
    const [, key, inside] = /^\/memory\/attempts\/([^/]+)\/(.+)$/.exec(path) ?? [];
    const tree = this.#attempts.get(key ?? '');
    if (!tree || inside === undefined) throw storageErrors.STORAGE_IO('write', path, 'ENOENT');
    tree.set(inside, text);
  }

  /** Reads a file of an attempt, of a dataset or at a place of the user's; undefined when there is none. */
  read(path: string): string | undefined {
    const [, part, name, inside] = /^\/memory\/(attempts|datasets)\/([^/]+)\/(.+)$/.exec(path) ?? [];
    if (part !== undefined) {
      const trees = part === 'attempts' ? this.#attempts : this.#datasets;
      return trees.get(name ?? '')?.get(inside ?? '');
    }
    for (const [place, tree] of this.#placed) {
      if (path.startsWith(`${place}/`)) return tree.get(path.slice(place.length + 1));
    }
    return undefined;
  }

  /** Changes a stored file behind everybody's back. */
  damage(location: string, path: string, text: string): void {
    this.#tree(location).set(path, text);
  }

  /** What of an attempt is more than logs. */
  scratch(key: string): readonly string[] {
    return [...(this.#attempts.get(key)?.keys() ?? [])].filter((path) => !path.startsWith('logs/'));
  }

  #tree(location: string): Tree {
    const tree = this.#datasets.get(checkedLocation(location));
    if (!tree) throw storageErrors.STORAGE_IO('read', this.path(location), 'ENOENT');
    return tree;
  }

  #describe(location: string): PublishedFiles {
    const entries = entriesOf(this.#tree(location));
    return { location, entries, digest: treeDigest(entries), ...countFiles(entries) };
  }
}

/** The output of an attempt, which moves to its place: it is no longer in the attempt. */
function takeOut(attempt: Tree): Tree {
  const out: Tree = new Map();
  for (const [path, text] of attempt) {
    if (!path.startsWith('out/')) continue;
    if (path !== 'out/') out.set(path.slice('out/'.length), text);
    attempt.delete(path);
  }
  return out;
}

function entriesOf(tree: Tree): readonly TreeEntry[] {
  return sortEntries(
    [...tree].map(([path, text]) => ({
      kind: 'file' as const,
      path,
      executable: false,
      sizeBytes: Buffer.byteLength(text),
      sha256: hash('sha256', text, 'hex'),
    })),
  );
}

function checkedKey(key: string): string {
  if (!namePattern.test(key)) throw storageErrors.STORAGE_BAD_NAME(key);
  return key;
}

function checkedLocation(location: string): string {
  if (!locationPattern.test(location)) throw storageErrors.STORAGE_BAD_NAME(location);
  return location;
}
