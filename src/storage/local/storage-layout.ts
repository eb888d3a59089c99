// Where things lie below the root of a local storage. Two levels keep folders small: the first is one byte of the
// SHA-256 of the attempt's key, so ten million datasets make 256 folders of 40,000.
//
//   varve-storage.json              which storage this is
//   datasets/<hh>/<key>/…           published trees, read-only
//   manifests/<hh>/<key>.ndjson     their entries with digests, for large ones
//   attempts/<hh>/<key>/{work,out,logs,control,seal}   of an attempt that left no logs it may go to another
//   trash/<hh>/<key>                on its way to deletion (one folder would be a queue for its lock)
//   placed/<hh>/<digest>.json       what was put at places that the user named
//   urls/…                          downloaded inputs
import { hash } from 'node:crypto';
import type { AttemptSpace } from '../../core/ports/storage.ts';
import { storageErrors } from '../error-codes.ts';

const namePattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;
const locationPattern = /^[0-9a-f]{2}\/[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;

// An attempt's key is asked for several times within its short life.
const mostLocations = 1024;

export class StorageLayout {
  readonly #locations = new Map<string, string>();
  readonly root: string;
  readonly marker: string;
  readonly datasets: string;
  readonly manifests: string;
  readonly attempts: string;
  readonly trash: string;

  constructor(root: string) {
    this.root = root;
    this.marker = `${root}/varve-storage.json`;
    this.datasets = `${root}/datasets`;
    this.manifests = `${root}/manifests`;
    this.attempts = `${root}/attempts`;
    this.trash = `${root}/trash`;
  }

  /** The location of the dataset that the attempt publishes: `<hh>/<key>`. */
  locationOf(key: string): string {
    const known = this.#locations.get(key);
    if (known !== undefined) return known;
    if (!namePattern.test(key)) throw storageErrors.STORAGE_BAD_NAME(key);
    const location = `${hash('sha256', key, 'hex').slice(0, 2)}/${key}`;
    if (this.#locations.size >= mostLocations) this.#locations.clear();
    this.#locations.set(key, location);
    return location;
  }

  dataset(location: string): string {
    return `${this.datasets}/${checked(location)}`;
  }

  manifest(location: string): string {
    return `${this.manifests}/${checked(location)}.ndjson`;
  }

  trashed(location: string): string {
    return `${this.trash}/${checked(location)}`;
  }

  space(key: string): AttemptSpace {
    const directory = `${this.attempts}/${this.locationOf(key)}`;
    return {
      directory,
      work: `${directory}/work`,
      out: `${directory}/out`,
      logs: `${directory}/logs`,
      control: `${directory}/control`,
    };
  }
}

/** True when a name found on disk is that of a first-level folder. */
export function isFolder(name: string): boolean {
  return /^[0-9a-f]{2}$/.test(name);
}

/** True when a name found on disk can be an attempt's key. */
export function isKey(name: string): boolean {
  return namePattern.test(name);
}

// Locations come from the store; a damaged row must never reach beyond the storage.
function checked(location: string): string {
  if (!locationPattern.test(location)) throw storageErrors.STORAGE_BAD_NAME(location);
  return location;
}
