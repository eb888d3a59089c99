// A storage that wraps a real one and fails where a test says so: before an operation (nothing happened) or after it (it
// happened but the caller does not know). A seeded simulation drives it to find what the engine does with every case.
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
} from '../core/ports/storage.ts';
import type { TreeEntry } from '../core/tree-digest.ts';
import { storageErrors } from './error-codes.ts';

export type StorageOperation =
  | 'openAttempt'
  | 'publish'
  | 'discardAttempt'
  | 'entries'
  | 'inspect'
  | 'inspectMany'
  | 'place'
  | 'remove'
  | 'usage'
  | 'flush';

export interface StorageCall {
  readonly operation: StorageOperation;
  /** The attempt key or location it is about; empty for others. */
  readonly subject: string;
  readonly when: 'before' | 'after';
}

/** `crash` throws a `StorageCrash`, which stands for the death of the calling process; the others are errors of Varve. */
export type StorageFault = 'ENOSPC' | 'EROFS' | 'EIO' | 'crash' | undefined;

/** The calling process died in the middle of a storage operation; the simulation ends the process that sees it. */
export class StorageCrash extends Error {
  override readonly name = 'StorageCrash';
}

const faultErrors = {
  ENOSPC: (call: StorageCall) => storageErrors.STORAGE_FULL(call.operation, call.subject),
  EROFS: (call: StorageCall) => storageErrors.STORAGE_READ_ONLY(call.operation, call.subject),
  EIO: (call: StorageCall) => storageErrors.STORAGE_IO(call.operation, call.subject, 'EIO'),
  crash: (call: StorageCall) => new StorageCrash(`died ${call.when} ${call.operation} ${call.subject}`),
} as const;

export class FaultyStorage implements DatasetStorage {
  readonly name: string;
  readonly #real: DatasetStorage;
  readonly #decide: (call: StorageCall) => StorageFault;

  constructor(real: DatasetStorage, decide: (call: StorageCall) => StorageFault) {
    this.name = real.name;
    this.#real = real;
    this.#decide = decide;
  }

  openAttempt(key: string): Promise<AttemptSpace> {
    return this.#perform('openAttempt', key, () => this.#real.openAttempt(key));
  }

  attemptSpace(key: string): AttemptSpace {
    return this.#real.attemptSpace(key);
  }

  locationOf(key: string): string {
    return this.#real.locationOf(key);
  }

  publish(key: string, options?: PublishOptions): Promise<PublishedFiles> {
    return this.#perform('publish', key, () => this.#real.publish(key, options));
  }

  discardAttempt(key: string, options?: DiscardOptions): Promise<void> {
    return this.#perform('discardAttempt', key, () => this.#real.discardAttempt(key, options));
  }

  path(location: string): string {
    return this.#real.path(location);
  }

  entries(location: string): Promise<readonly TreeEntry[]> {
    return this.#perform('entries', location, () => this.#real.entries(location));
  }

  inspect(location: string, expected: ExpectedFiles, depth: InspectionDepth): Promise<Inspection> {
    return this.#perform('inspect', location, () => this.#real.inspect(location, expected, depth));
  }

  inspectMany(locations: readonly string[]): Promise<readonly ('intact' | 'missing')[]> {
    return this.#perform('inspectMany', '', () => this.#real.inspectMany(locations));
  }

  place(location: string, path: string, digest: string, use: 'own' | 'keep'): Promise<void> {
    return this.#perform('place', location, () => this.#real.place(location, path, digest, use));
  }

  remove(location: string): Promise<void> {
    return this.#perform('remove', location, () => this.#real.remove(location));
  }

  locations(): AsyncIterable<string> {
    return this.#real.locations();
  }

  attempts(): AsyncIterable<string> {
    return this.#real.attempts();
  }

  usage(): Promise<StorageUsage> {
    return this.#perform('usage', '', () => this.#real.usage());
  }

  flush(): Promise<void> {
    return this.#perform('flush', '', () => this.#real.flush());
  }

  close(): Promise<void> {
    return this.#real.close();
  }

  async #perform<T>(operation: StorageOperation, subject: string, work: () => Promise<T>): Promise<T> {
    this.#meet({ operation, subject, when: 'before' });
    const result = await work();
    this.#meet({ operation, subject, when: 'after' });
    return result;
  }

  #meet(call: StorageCall): void {
    const fault = this.#decide(call);
    if (fault !== undefined) throw faultErrors[fault](call);
  }
}
