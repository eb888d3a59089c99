// Remembers digests of files that lie outside the storage, so that an unchanged input is hashed once. The key says which
// bytes are meant (device, inode, size, times), so an entry never becomes wrong, only useless. The store keeps it in a table.

type Awaitable<T> = T | Promise<T>;

export interface FileDigestEntry {
  readonly key: string;
  readonly digest: string;
}

export interface FileDigestCache {
  /** The digests of the keys, in their order; undefined for those that are not known. */
  get(keys: readonly string[]): Awaitable<readonly (string | undefined)[]>;
  /** Remembers entries; a key that is there already keeps its digest, which is equal. */
  put(entries: readonly FileDigestEntry[]): Awaitable<void>;
}
