// Where dataset files live. An attempt writes into a space of its own; `publish` seals its output directory and moves it to
// its final place by one rename. A location is named after the attempt, so no two owners ever write one path.

export interface AttemptSpace {
  /** The attempt's directory; the caller and the back-end own everything below it until publish or discard. */
  readonly directory: string;
  /** `directory/work`: scratch and current directory of the command. */
  readonly work: string;
  /** `directory/out`: what becomes the dataset. */
  readonly out: string;
}

export interface PublishedFiles {
  /** Opaque, relative, stable name of the stored files. */
  readonly location: string;
  readonly sizeBytes: number;
  readonly fileCount: number;
  /** Digest of the tree: names, kinds, executable bits, contents. */
  readonly digest: string;
}

export type Inspection = 'intact' | 'missing' | 'damaged';
export type InspectionDepth = 'exists' | 'sizes' | 'contents';

export interface StorageUsage {
  /** Bytes that the file system still offers. */
  readonly freeBytes: number;
  readonly totalBytes: number;
}

export interface DatasetStorage {
  readonly name: string;
  /** Creates the attempt's directories; may be repeated. */
  openAttempt(key: string): Promise<AttemptSpace>;
  /** Paths of an attempt without touching the disk. */
  attemptSpace(key: string): AttemptSpace;
  /** Seals `out` (read-only, digests) and renames it to its place; may be repeated after a crash, with equal result. */
  publish(key: string): Promise<PublishedFiles>;
  /** Removes what is left of an attempt (scratch, control files), keeping its logs; may be repeated. */
  discardAttempt(key: string, options?: { readonly keepLogs: boolean }): Promise<void>;
  /** Absolute path at which the stored files can be read. */
  path(location: string): string;
  inspect(
    location: string,
    expected: { readonly sizeBytes: number; readonly digest: string },
    depth: InspectionDepth,
  ): Promise<Inspection>;
  /** Deletes the stored files; repeating it is no error. */
  remove(location: string): Promise<void>;
  /** All locations and attempt keys on disk, for the clean-up of orphans. */
  locations(): AsyncIterable<string>;
  attempts(): AsyncIterable<string>;
  usage(): Promise<StorageUsage>;
}
