// Locations of files inside datasets, in the two forms they are stored in: relative to the dataset that holds them (in a dataset's
// value), and by the slot in which a node gets the dataset (in a spec).
import type { Json } from '../../../core/json.ts';
import { isAbsoluteUrl } from '../load/uri.ts';
import { type CwlPath, mapAllPaths } from '../values/file-object.ts';

/** A file in a dataset among the inputs of a node. */
export interface SlotReference {
  readonly slot: string;
  /** Which member of a list; '' when there is but one. */
  readonly position: string;
  /** Percent-encoded path inside the dataset. */
  readonly inside: string;
}

const pattern = /^slot:([^@]*)@([0-9.]*)\/(.*)$/s;

export function slotLocation(reference: SlotReference): string {
  return `slot:${reference.slot}@${reference.position}/${reference.inside}`;
}

/** The reference that a location is, or undefined for a plain location. */
export function parseSlotLocation(location: string): SlotReference | undefined {
  const match = pattern.exec(location);
  return match === null ? undefined : { slot: match[1]!, position: match[2]!, inside: match[3]! };
}

/** Changes the location of every file that has one. */
export function mapLocations(value: Json, change: (location: string) => string): Json {
  return mapAllPaths(value, (path): CwlPath => {
    return path.location === undefined ? path : { ...path, location: change(path.location) };
  });
}

/** True for a location inside the dataset whose value it stands in. */
export function isInside(location: string): boolean {
  return !isAbsoluteUrl(location) && !pattern.test(location);
}
