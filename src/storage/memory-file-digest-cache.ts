// Remembered file digests for one process: used where no store keeps them, and in tests.
import type { FileDigestCache, FileDigestEntry } from '../core/ports/file-digest-cache.ts';

export class MemoryFileDigestCache implements FileDigestCache {
  readonly #digests = new Map<string, string>();
  readonly #limit: number;

  /** Keeps the `limit` entries that were put last. */
  constructor(limit = 100_000) {
    this.#limit = limit;
  }

  get(keys: readonly string[]): readonly (string | undefined)[] {
    return keys.map((key) => this.#digests.get(key));
  }

  put(entries: readonly FileDigestEntry[]): void {
    for (const { key, digest } of entries) this.#digests.set(key, digest);
    for (const key of this.#digests.keys()) {
      if (this.#digests.size <= this.#limit) break;
      this.#digests.delete(key);
    }
  }
}
