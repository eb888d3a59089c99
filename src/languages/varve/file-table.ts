// The files that a document names. They are collected first, resolved by one call of the caller (who remembers digests),
// and looked up while actions are lowered.

/** What is known of a file or directory at submission. */
export interface FileDigest {
  readonly kind: 'file' | 'directory';
  /** Of the contents; of a directory, of its whole tree. */
  readonly sha256: string;
  readonly sizeBytes: number;
  readonly modifiedAtMs: number;
}

/** A file that was fetched from a URL, and where it lies now. */
export interface FetchedFile extends FileDigest {
  readonly path: string;
}

/** Digests of those of the absolute paths that exist; the others are absent from the answer. */
export type DigestFiles = (paths: readonly string[]) => Promise<ReadonlyMap<string, FileDigest>>;

/** Fetches addresses (or finds them in a cache); the answer has either the file or the reason why not. */
export type FetchUrls = (
  urls: readonly string[],
) => Promise<ReadonlyMap<string, FetchedFile | { readonly failure: string }>>;

export class FileTable {
  readonly #paths = new Set<string>();
  readonly #urls = new Set<string>();
  #digests: ReadonlyMap<string, FileDigest> = new Map();
  #fetched: ReadonlyMap<string, FetchedFile | { readonly failure: string }> | undefined;

  wantPath(path: string): void {
    this.#paths.add(path);
  }

  wantUrl(url: string): void {
    this.#urls.add(url);
  }

  /** Resolves all wishes; nothing is called when there are none. */
  async resolve(digestFiles: DigestFiles, fetchUrls: FetchUrls | undefined): Promise<void> {
    if (this.#paths.size > 0) this.#digests = await digestFiles([...this.#paths]);
    if (this.#urls.size > 0 && fetchUrls !== undefined) this.#fetched = await fetchUrls([...this.#urls]);
  }

  digest(path: string): FileDigest | undefined {
    return this.#digests.get(path);
  }

  /** The fetched file, why it could not be had, or undefined when nothing here fetches. */
  fetched(url: string): FetchedFile | { readonly failure: string } | undefined {
    return this.#fetched?.get(url);
  }
}
