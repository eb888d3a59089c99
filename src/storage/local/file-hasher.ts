// Hashes open files in the way that is fastest for their size: small ones at once on the calling thread (6 µs, where the
// thread pool takes 100), middle ones piece by piece between other events, large ones on threads of their own.
import { createHash, hash } from 'node:crypto';
import type { FileSystem } from './file-system.ts';
import { type FileHash, HashThreads } from './hash-threads.ts';

export type HashAlgorithm = 'sha256' | 'sha1';

/** Up to here a file is read and hashed in one go: 0.2 ms. */
export const smallFileBytes = 256 * 1024;
const pieceBytes = 1024 * 1024;
// Starting a thread takes about as long as hashing this.
const threadBytes = 32 * 1024 * 1024;

export class FileHasher {
  readonly #fs: FileSystem;
  readonly #threads: HashThreads;
  readonly #buffer = Buffer.allocUnsafeSlow(smallFileBytes + 1);

  constructor(fs: FileSystem, threads: number) {
    this.#fs = fs;
    this.#threads = new HashThreads(threads);
  }

  /** Hash of a file of at most `smallFileBytes`; undefined when it turns out to be larger. */
  hashSmall(fd: number, algorithm: HashAlgorithm = 'sha256'): FileHash | undefined {
    let sizeBytes = 0;
    for (;;) {
      const bytes = this.#fs.readSync(
        fd,
        this.#buffer,
        sizeBytes,
        this.#buffer.length - sizeBytes,
        sizeBytes,
      );
      sizeBytes += bytes;
      if (sizeBytes > smallFileBytes) return undefined;
      if (bytes === 0) break;
    }
    return { digest: hash(algorithm, this.#buffer.subarray(0, sizeBytes), 'hex'), sizeBytes };
  }

  /** Hash of a file of any size without holding the event loop. */
  async hashLarge(fd: number, sizeBytes: number, algorithm: HashAlgorithm = 'sha256'): Promise<FileHash> {
    if (sizeBytes >= threadBytes || (this.#threads.running && sizeBytes >= pieceBytes))
      return this.#threads.hash(fd, algorithm);
    const hasher = createHash(algorithm);
    const buffer = Buffer.allocUnsafe(Math.min(pieceBytes, sizeBytes + 1));
    let position = 0;
    for (;;) {
      const bytes = await this.#fs.read(fd, buffer, position);
      if (bytes === 0) return { digest: hasher.digest('hex'), sizeBytes: position };
      hasher.update(bytes === buffer.length ? buffer : buffer.subarray(0, bytes));
      position += bytes;
    }
  }

  close(): Promise<void> {
    return this.#threads.close();
  }
}
