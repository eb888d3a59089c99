// Datasets in a folder of a local or shared (NFS) file system. Small trees are handled with synchronous calls, which take a
// tenth of the time of the thread pool; whatever may take long gives way to other events.
import { availableParallelism } from 'node:os';
import { basename } from 'node:path';
import type {
  AttemptSpace,
  DatasetStorage,
  DiscardOptions,
  ExpectedFiles,
  Inspection,
  InspectionDepth,
  PublishedFiles,
  PublishOptions,
  StorageUsage,
} from '../../core/ports/storage.ts';
import type { TreeEntry } from '../../core/tree-digest.ts';
import { digestTree } from './digest-tree.ts';
import { DiskSync, type Durability } from './disk-sync.ts';
import { FileHasher } from './file-hasher.ts';
import { type FileSystem, nodeFileSystem } from './file-system.ts';
import { inspectDataset, whichExist } from './inspect-dataset.ts';
import { readManifest } from './manifest.ts';
import { PendingFlush } from './pending-flush.ts';
import { ResultPlacer } from './place-results.ts';
import { type PublishTools, publishDataset } from './publish-dataset.ts';
import { TreeRemover } from './remove-tree.ts';
import { scanTree } from './scan-tree.ts';
import { SpareSpaces } from './spare-spaces.ts';
import { isErrno, storageError } from './storage-error.ts';
import { parentFolder, StorageFolders } from './storage-folders.ts';
import { isFolder, isKey, type StorageLayout } from './storage-layout.ts';
import { makeFolder, openStorageRoot, type StorageRoot } from './storage-root.ts';

export interface LocalStorageOptions {
  /** The root folder; made on first use. */
  readonly root: string;
  /** What a published dataset survives; default `normal`, where `flush` makes it survive the rest. */
  readonly durability?: Durability;
  /** Threads for large files; default: one per core, at most four. */
  readonly hashThreads?: number;
  readonly fs?: FileSystem;
}

export class LocalStorage implements DatasetStorage {
  readonly name = 'local';
  /** Unique name of the storage, for comparison with what the store remembers: another one is another disk. */
  readonly id: string;
  /** True when opening made the storage: nothing can be in it. */
  readonly created: boolean;
  readonly #fs: FileSystem;
  readonly #layout: StorageLayout;
  readonly #folders: StorageFolders;
  readonly #tools: PublishTools;
  readonly #remover: TreeRemover;
  readonly #spares: SpareSpaces;
  readonly #unflushed: PendingFlush;
  readonly #publishing = new Map<string, Promise<PublishedFiles>>();
  readonly #sweeping: Promise<void>;
  #results: ResultPlacer | undefined;

  constructor(root: StorageRoot, options: LocalStorageOptions) {
    const { layout } = root;
    const fs = options.fs ?? nodeFileSystem;
    const folders = new StorageFolders(fs, layout);
    const hasher = new FileHasher(fs, options.hashThreads ?? Math.min(4, availableParallelism()));
    const sync = new DiskSync(fs, options.durability ?? 'normal');
    this.id = root.id;
    this.created = root.created;
    this.#fs = fs;
    this.#layout = layout;
    this.#folders = folders;
    this.#tools = { fs, layout, folders, hasher, sync };
    this.#unflushed = new PendingFlush(fs, layout.root);
    this.#remover = new TreeRemover(fs, layout.trash);
    this.#spares = new SpareSpaces(fs);
    // What cannot be swept now stays for the next start; it hinders nobody, and the cause will show in a removal.
    this.#sweeping = this.#sweepTrash().catch(() => undefined);
  }

  async openAttempt(key: string): Promise<AttemptSpace> {
    const space = this.attemptSpace(key);
    return guard('create', space.directory, () => {
      if (!this.#spares.reuse(space, (path, make) => this.#folders.within(path, make))) {
        this.#folders.within(space.directory, () => makeFolder(this.#fs, space.directory));
        for (const part of [space.work, space.logs]) makeFolder(this.#fs, part);
      }
      makeFolder(this.#fs, space.out);
      return space;
    });
  }

  attemptSpace(key: string): AttemptSpace {
    return this.#layout.space(key);
  }

  locationOf(key: string): string {
    return this.#layout.locationOf(key);
  }

  async publish(key: string, options: PublishOptions = {}): Promise<PublishedFiles> {
    const running = this.#publishing.get(key);
    if (running) return running;
    const { out } = this.attemptSpace(key);
    const started = guard('publish', out, () => publishDataset(this.#tools, key, options));
    this.#publishing.set(key, started);
    try {
      const published = await started;
      if (!this.#tools.sync.enabled) this.#unflushed.add(this.path(published.location), published.sizeBytes);
      return published;
    } finally {
      this.#publishing.delete(key);
    }
  }

  async discardAttempt(key: string, options: DiscardOptions = { keepLogs: true }): Promise<void> {
    const space = this.attemptSpace(key);
    const { directory, logs } = space;
    await guard('remove', directory, async () => {
      if (!options.keepLogs) return this.#remover.remove(directory);
      if (options.swept && this.#spares.keep(space)) return;
      await this.#remover.removeAllBut(directory, basename(logs));
    });
  }

  path(location: string): string {
    return this.#layout.dataset(location);
  }

  async entries(location: string): Promise<readonly TreeEntry[]> {
    const path = this.path(location);
    return guard('read', path, async () => {
      const listed = await readManifest(this.#fs, this.#layout.manifest(location));
      if (listed) return listed;
      const scanned = await scanTree(this.#fs, path, this.#fs.lstatSync(path), false);
      return digestTree(this.#tools, path, scanned);
    });
  }

  async inspect(location: string, expected: ExpectedFiles, depth: InspectionDepth): Promise<Inspection> {
    const path = this.path(location);
    return guard('read', path, async () => {
      const inspection = await inspectDataset(this.#tools, path, expected, depth);
      if (inspection !== 'intact') this.#folders.checkPresence();
      return inspection;
    });
  }

  async inspectMany(locations: readonly string[]): Promise<readonly ('intact' | 'missing')[]> {
    const paths = locations.map((location) => this.path(location));
    return guard('read', this.#layout.datasets, async () => {
      const there = await whichExist(this.#fs, paths);
      if (there.includes(false)) this.#folders.checkPresence();
      return there.map((exists) => (exists ? 'intact' : 'missing'));
    });
  }

  async place(location: string, path: string, digest: string, use: 'own' | 'keep'): Promise<void> {
    this.#results ??= new ResultPlacer({ root: this.#layout.root, fs: this.#fs });
    await this.#results.place(this.path(location), path, digest, use);
  }

  async remove(location: string): Promise<void> {
    const path = this.path(location);
    const trashed = this.#layout.trashed(location);
    await guard('remove', path, async () => {
      // Left from a removal that was interrupted.
      if (this.#fs.existsSync(trashed)) await this.#remover.remove(trashed);
      if (!this.#moveToTrash(path, trashed)) return this.#folders.checkPresence();
      await this.#tools.sync.directory(parentFolder(path));
      await this.#removeTrashed(trashed, location);
    });
  }

  async *locations(): AsyncIterable<string> {
    yield* this.#namesIn(this.#layout.datasets, (folder, key) => `${folder}/${key}`);
  }

  async *attempts(): AsyncIterable<string> {
    yield* this.#namesIn(this.#layout.attempts, (_, key) => key);
  }

  async usage(): Promise<StorageUsage> {
    return guard('measure', this.#layout.root, async () => {
      const { bsize, bavail, blocks } = await this.#fs.statfs(this.#layout.root);
      return { freeBytes: bsize * bavail, totalBytes: bsize * blocks };
    });
  }

  async flush(): Promise<void> {
    await guard('flush', this.#layout.root, () => this.#unflushed.flush());
  }

  async close(): Promise<void> {
    await Promise.allSettled([this.#sweeping, ...this.#publishing.values()]);
    await this.#unflushed.settled();
    await this.#tools.hasher.close();
  }

  /** Makes the dataset disappear in one step; false when it is not there. */
  #moveToTrash(path: string, trashed: string): boolean {
    const move = () => this.#folders.within(trashed, () => this.#fs.renameSync(path, trashed));
    try {
      move();
    } catch (error) {
      if (isErrno(error, 'ENOENT')) return false;
      if (!isErrno(error, 'EACCES')) throw error;
      // Moving a directory to another parent writes to the directory itself, which is read-only.
      this.#fs.chmodSync(path, 0o700);
      move();
    }
    return true;
  }

  async #removeTrashed(trashed: string, location: string): Promise<void> {
    await this.#remover.remove(this.#layout.manifest(location));
    await this.#remover.remove(trashed);
  }

  /** Finishes removals that a crash interrupted. */
  async #sweepTrash(): Promise<void> {
    const { trash } = this.#layout;
    for await (const location of this.#namesIn(trash, (folder, key) => `${folder}/${key}`))
      await this.#removeTrashed(this.#layout.trashed(location), location);
    for (const name of this.#folders.list(trash))
      if (!isFolder(name)) await this.#remover.remove(`${trash}/${name}`);
  }

  async *#namesIn(part: string, name: (folder: string, key: string) => string): AsyncIterable<string> {
    for (const folder of await guard('list', part, () => this.#folders.list(part))) {
      if (!isFolder(folder)) continue;
      const keys = await guard('list', part, () => this.#fs.readdir(`${part}/${folder}`));
      for (const key of keys) if (isKey(key)) yield name(folder, key);
    }
  }
}

async function guard<T>(doing: string, path: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw storageError(error, doing, path);
  }
}

/** Opens the storage at `options.root`, making it on first use; leftovers of interrupted removals are swept meanwhile. */
export function openLocalStorage(options: LocalStorageOptions): LocalStorage {
  return new LocalStorage(openStorageRoot(options.fs ?? nodeFileSystem, options.root), options);
}
