// Walks a value along its type and hands every File and Directory to a visitor, together with what the parameter, or the record
// field that holds it, says about its files.
import { isList, isObject, type Json } from '../../../core/json.ts';
import type { CwlType, FileTraits } from '../model/cwl-type.ts';
import { itemsOf, recordFor } from './check-value.ts';
import { type CwlPath, isPath } from './file-object.ts';

/** The value with every File and Directory replaced by what the visitor returns. */
export function mapWithTraits(
  value: Json,
  type: CwlType,
  traits: FileTraits,
  visit: (path: CwlPath, traits: FileTraits) => CwlPath,
): Json {
  if (isPath(value)) return visit(value, traits);
  if (isList(value)) {
    const items = itemsOf(type) ?? 'Any';
    return value.map((item) => mapWithTraits(item, items, traits, visit));
  }
  if (!isObject(value)) return value;
  const record = recordFor(value, type);
  const entries = Object.entries(value).map(([name, member]): [string, Json] => {
    const field = record?.fields.find((one) => one.name === name);
    const inner =
      field === undefined
        ? mapWithTraits(member, 'Any', {}, visit)
        : mapWithTraits(member, field.type, field, visit);
    return [name, inner];
  });
  return Object.fromEntries(entries);
}
