// Where the files of a value lie, for those who move values between machines.
import type { Json } from '../../../core/json.ts';
import { mapAllPaths } from './file-object.ts';

/** The locations of all files and folders in a value, also nested ones; literals have none. */
export function filesIn(value: Json): string[] {
  const found: string[] = [];
  mapFiles(value, (location) => {
    found.push(location);
    return location;
  });
  return found;
}

/** The value with every location replaced. */
export function mapFiles(value: Json, place: (location: string) => string): Json {
  return mapAllPaths(value, (path) =>
    path.location === undefined ? path : { ...path, location: place(path.location) },
  );
}
