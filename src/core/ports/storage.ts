// Where dataset files live. An attempt writes into a space of its own; `publish` seals its output directory and moves it to
// its final place by one rename. A location is named after the attempt, so no two owners ever write one path.
import type { TreeEntry } from '../tree-digest.ts';

export interface AttemptSpace {
  /** The attempt's directory; the caller and the back-end own everything below it until publish or discard. */
  readonly directory: string;
  /** `directory/work`: scratch and current directory of the command. */
  readonly work: string;
  /** `directory/out`: what becomes the dataset. */
  readonly out: string;
  /** `directory/logs`: what outlives the attempt. */
  readonly logs: string;
  /** `directory/control`: the back-end's own files; the back-end makes it when it needs one. */
  readonly control: string;
}

export interface PublishedFiles {
  /** Opaque, relative, stable name of the stored files. */
  readonly location: string;
  /** Sum of the sizes of all files; a file with two names counts twice. */
  readonly sizeBytes: number;
  readonly fileCount: number;
  /** Digest of the tree: names, kinds, executable bits, contents. */
  readonly digest: string;
  /** Every file, directory and link of the tree with its size and digest, in the order of the paths' bytes. */
  readonly entries: readonly TreeEntry[];
}

export interface PublishOptions {
  /**
   * Absolute paths outside the storage (a user's input files and directories) to which links in the output may point:
   * their contents are copied. Links into published datasets are always resolved; any other link out is an error.
   */
  readonly inputs?: readonly string[] | undefined;
}

export type Inspection = 'intact' | 'missing' | 'damaged';
export type InspectionDepth = 'exists' | 'sizes' | 'contents';

/** What the store recorded about stored files. */
export interface ExpectedFiles {
  readonly sizeBytes: number;
  readonly digest: string;
  /** Compared at depth `sizes` too, when given: it notices that an empty file was removed. */
  readonly fileCount?: number | undefined;
}

export interface DiscardOptions {
  readonly keepLogs: boolean;
  /** No process of the attempt is left: a directory in which nothing is left either may serve another attempt. */
  readonly swept?: boolean | undefined;
}

export interface StorageUsage {
  /** Bytes that the file system still offers. */
  readonly freeBytes: number;
  readonly totalBytes: number;
}

export interface DatasetStorage {
  readonly name: string;
  /** Creates the attempt's directories (`work`, `out`, `logs`); may be repeated. */
  openAttempt(key: string): Promise<AttemptSpace>;
  /** Paths of an attempt without touching the disk. */
  attemptSpace(key: string): AttemptSpace;
  /** The location that publishing the attempt gives, without touching the disk. */
  locationOf(key: string): string;
  /** Seals `out` (read-only, digests) and renames it to its place; may be repeated after a crash, with equal result. */
  publish(key: string, options?: PublishOptions): Promise<PublishedFiles>;
  /**
   * Puts the files of a dataset with this digest at a path of the user's, complete or not at all: `own` as files that the user
   * may change (unmanaged output), `keep` as links where that is safe (results of a run). Replaces only what was placed before.
   */
  place(location: string, path: string, digest: string, use: 'own' | 'keep'): Promise<void>;
  /** Removes what is left of an attempt (scratch, control files), keeping its logs; may be repeated. */
  discardAttempt(key: string, options?: DiscardOptions): Promise<void>;
  /** Absolute path at which the stored files can be read. */
  path(location: string): string;
  /** The entries of stored files with sizes and digests; from a manifest where there is one, otherwise by reading them. */
  entries(location: string): Promise<readonly TreeEntry[]>;
  /** Compares stored files with what was recorded. A storage that is gone as a whole is an error, not a miss. */
  inspect(location: string, expected: ExpectedFiles, depth: InspectionDepth): Promise<Inspection>;
  /** Depth `exists` for many locations at once, in their order. */
  inspectMany(locations: readonly string[]): Promise<readonly ('intact' | 'missing')[]>;
  /** Deletes the stored files; repeating it is no error. */
  remove(location: string): Promise<void>;
  /** All locations and attempt keys on disk, for the clean-up of orphans. */
  locations(): AsyncIterable<string>;
  attempts(): AsyncIterable<string>;
  usage(): Promise<StorageUsage>;
  /** Resolves when everything that was published before the call survives a power failure. */
  flush(): Promise<void>;
  /** Ends what runs in the background; calls that are under way finish first. */
  close(): Promise<void>;
}
