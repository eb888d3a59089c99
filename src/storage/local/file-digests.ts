// Digests of the user's own files and directories. Each file is hashed once and remembered by device, inode, size and the
// times of its last change; a file that changed so shortly before that a further change could carry the same time is hashed
// again next time.
import { type BigIntStats, constants } from 'node:fs';
import { availableParallelism } from 'node:os';
import { VarveError } from '../../core/errors.ts';
import type { FileDigestCache, FileDigestEntry } from '../../core/ports/file-digest-cache.ts';
import type { TreeEntry } from '../../core/tree-digest.ts';
import { storageErrors } from '../error-codes.ts';
import { FileHasher, type HashAlgorithm, smallFileBytes } from './file-hasher.ts';
import { type FileSystem, nodeFileSystem } from './file-system.ts';
import { isErrno, storageError } from './storage-error.ts';
import { sortTree, summarizeTree } from './summarize-tree.ts';
import { TimeSlice } from './time-slice.ts';
import { walkInput } from './walk-input.ts';

export interface InputDigest {
  readonly kind: 'file' | 'directory';
  /** SHA-256 of a file's bytes, tree digest of a directory. */
  readonly digest: string;
  readonly sizeBytes: number;
  readonly fileCount: number;
}

export interface FileDigest {
  readonly digest: string;
  readonly sizeBytes: number;
  readonly executable: boolean;
}

export interface FileDigestsOptions {
  readonly cache: FileDigestCache;
  readonly fs?: FileSystem;
  readonly hashThreads?: number;
}

const maxTries = 3;
const maxInFlight = 16;
// The clocks that stamp files tick every 4 to 10 ms, on some file systems every second or two.
const fineWindowMs = 100;
const coarseWindowMs = 2500;

export class FileDigests {
  readonly #cache: FileDigestCache;
  readonly #fs: FileSystem;
  readonly #hasher: FileHasher;

  constructor(options: FileDigestsOptions) {
    this.#cache = options.cache;
    this.#fs = options.fs ?? nodeFileSystem;
    this.#hasher = new FileHasher(this.#fs, options.hashThreads ?? Math.min(4, availableParallelism()));
  }

  /** Digests of files and directories, in their order. All that cannot be read are told at once. */
  async inputs(paths: readonly string[]): Promise<readonly InputDigest[]> {
    const plans = await this.#forEach(paths, async (path) => {
      const stats = this.#fs.statSync(path);
      if (stats.isDirectory()) return walkInput(this.#fs, path);
      if (!stats.isFile()) throw storageErrors.INPUT_NOT_A_FILE(path);
      return path;
    });
    const sources = plans.flatMap((plan) =>
      typeof plan === 'string'
        ? [plan]
        : plan.flatMap((entry) => (entry.kind === 'file' ? [entry.source] : [])),
    );
    const digests = new Map((await this.files(sources)).map((digest, index) => [sources[index]!, digest]));
    const results: InputDigest[] = [];
    for (const plan of plans) {
      if (typeof plan === 'string') {
        const { digest, sizeBytes } = digests.get(plan)!;
        results.push({ kind: 'file', digest, sizeBytes, fileCount: 1 });
        continue;
      }
      const entries = plan.map((entry): TreeEntry => {
        if (entry.kind !== 'file') return entry;
        const { digest: sha256, sizeBytes, executable } = digests.get(entry.source)!;
        return { kind: 'file', path: entry.path, executable, sizeBytes, sha256 };
      });
      results.push({ kind: 'directory', ...(await summarizeTree(await sortTree(entries))) });
    }
    return results;
  }

  /** Digests of regular files, in their order. */
  async files(paths: readonly string[], algorithm: HashAlgorithm = 'sha256'): Promise<readonly FileDigest[]> {
    const stats = await this.#forEach(paths, async (path) => this.#fs.statSync(path, { bigint: true }));
    const known = await this.#cache.get(stats.map((each) => keyOf(each, algorithm)));
    const fresh: FileDigestEntry[] = [];
    const hashed = await this.#forEach(paths, async (path, index) => {
      const digest = known[index];
      return digest === undefined ? this.#hashFile(path, algorithm, fresh) : digestOf(stats[index]!, digest);
    });
    if (fresh.length > 0) await this.#cache.put(fresh);
    return hashed;
  }

  close(): Promise<void> {
    return this.#hasher.close();
  }

  async #hashFile(path: string, algorithm: HashAlgorithm, fresh: FileDigestEntry[]): Promise<FileDigest> {
    const fd = this.#fs.openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      for (let tries = 0; tries < maxTries; tries += 1) {
        const startedAt = Date.now();
        const before = this.#fs.fstatSync(fd, { bigint: true });
        if (!before.isFile()) throw storageErrors.INPUT_NOT_A_FILE(path);
        const size = Number(before.size);
        const small = size <= smallFileBytes ? this.#hasher.hashSmall(fd, algorithm) : undefined;
        const { digest, sizeBytes } = small ?? (await this.#hasher.hashLarge(fd, size, algorithm));
        const after = this.#fs.fstatSync(fd, { bigint: true });
        if (keyOf(before, algorithm) !== keyOf(after, algorithm) || sizeBytes !== size) continue;
        if (isSettled(before, startedAt)) fresh.push({ key: keyOf(before, algorithm), digest });
        return digestOf(before, digest);
      }
    } finally {
      this.#fs.closeSync(fd);
    }
    throw storageErrors.INPUT_CHANGING(path);
  }

  /** Does the work for every path, some at a time, and throws what went wrong for all of them together. */
  async #forEach<T>(
    paths: readonly string[],
    work: (path: string, index: number) => Promise<T>,
  ): Promise<readonly T[]> {
    const results: T[] = [];
    const errors: unknown[] = [];
    const inFlight = new Set<Promise<void>>();
    const slice = new TimeSlice();
    for (const [index, path] of paths.entries()) {
      if (slice.over) await slice.pause();
      const tracked = work(path, index)
        .then(
          (result) => void (results[index] = result),
          (error) => void (errors[index] = inputError(error, path)),
        )
        .finally(() => void inFlight.delete(tracked));
      inFlight.add(tracked);
      if (inFlight.size >= maxInFlight) await Promise.race(inFlight);
    }
    await Promise.all(inFlight);
    const [first, ...others] = Object.values(errors);
    if (first instanceof VarveError && others.length > 0)
      throw Object.assign(first, { problems: others.filter((error) => error instanceof VarveError) });
    if (first !== undefined) throw first;
    return results;
  }
}

function keyOf(stats: BigIntStats, algorithm: HashAlgorithm): string {
  return `${algorithm}:${stats.dev}:${stats.ino}:${stats.size}:${stats.mtimeNs}:${stats.ctimeNs}`;
}

function digestOf(stats: BigIntStats, digest: string): FileDigest {
  return { digest, sizeBytes: Number(stats.size), executable: (stats.mode & 0o100n) !== 0n };
}

/** True when a change from `at` on would carry another time than the last one did. */
function isSettled(stats: BigIntStats, at: number): boolean {
  const coarse = stats.mtimeNs % 1_000_000_000n === 0n && stats.ctimeNs % 1_000_000_000n === 0n;
  const changedAt = Math.max(Number(stats.mtimeMs), Number(stats.ctimeMs));
  return at - changedAt > (coarse ? coarseWindowMs : fineWindowMs);
}

function inputError(error: unknown, path: string): unknown {
  if (isErrno(error, 'ENOENT', 'ENOTDIR')) return storageErrors.INPUT_MISSING.with({ cause: error }, path);
  if (isErrno(error, 'EACCES', 'EPERM')) return storageErrors.INPUT_UNREADABLE.with({ cause: error }, path);
  if (isErrno(error, 'ELOOP')) return storageErrors.INPUT_LINK_LOOP.with({ cause: error }, path);
  return storageError(error, 'read', path);
}
