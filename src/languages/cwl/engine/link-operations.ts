// The operations of links on known values: merging several sources and picking from them.
import { isList, type Json } from '../../../core/json.ts';
import { cwlErrors } from '../error-codes.ts';
import type { PickValue } from '../model/process.ts';

/** The elements of all values in one list; a value that is no list is an element itself. */
export function mergeFlat(values: readonly Json[]): Json {
  return values.flatMap((value) => (isList(value) ? [...value] : [value]));
}

/** pickValue; a value that is no list is left alone. */
export function pickFrom(value: Json, how: PickValue, name: string): Json {
  if (!isList(value)) return value;
  const present = value.filter((one) => one !== null);
  if (how === 'all_non_null') return present;
  if (present.length === 0) throw cwlErrors.CWL_PICK_VALUE(name, 'every value is null');
  if (how === 'the_only_non_null' && present.length > 1)
    throw cwlErrors.CWL_PICK_VALUE(name, `${present.length} values are not null, but only one may be`);
  return present[0]!;
}
