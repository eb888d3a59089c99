// JSON values and their canonical text (RFC 8785): keys sorted by UTF-16 code units, shortest numbers, no white space.
// Equal values have equal text and different values have different text, so the text can stand for the value.

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
export type JsonObject = { readonly [key: string]: Json };

/** The canonical text of a value. Throws a TypeError on what JSON cannot say (NaN, infinity, undefined in a list). */
export function canonical(value: Json): string {
  // What is in order already has the text that JavaScript gives it, in one call.
  return isInOrder(value) ? JSON.stringify(value) : ordered(value);
}

/** False as well for everything that JSON cannot say. */
function isInOrder(value: unknown): boolean {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return true;
    case 'number':
      return Number.isFinite(value);
    case 'object':
      break;
    default:
      return false;
  }
  if (value === null) return true;
  if (isList(value)) {
    for (let i = 0; i < value.length; i++) if (!isInOrder(value[i])) return false;
    return true;
  }
  const members = value as JsonObject;
  let before = '';
  for (const key of Object.keys(members)) {
    if (key < before || key === 'toJSON' || !isInOrder(members[key])) return false;
    before = key;
  }
  return true;
}

function ordered(value: Json): string {
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return JSON.stringify(value);
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new TypeError(`${value} has no canonical form`);
    return JSON.stringify(value);
  }
  if (isList(value)) {
    let text = '[';
    for (let i = 0; i < value.length; i++) text += (i === 0 ? '' : ',') + ordered(value[i] as Json);
    return `${text}]`;
  }
  if (typeof value !== 'object') throw new TypeError(`a ${typeof value} has no canonical form`);
  let text = '';
  for (const key of sortedKeys(value)) {
    const member = value[key];
    if (member === undefined) continue;
    text += `${text === '' ? '' : ','}${JSON.stringify(key)}:${ordered(member)}`;
  }
  return `{${text}}`;
}

/** Most objects that are signed have their keys in order already, and to look is cheaper than to sort. */
function sortedKeys(value: JsonObject): readonly string[] {
  const keys = Object.keys(value);
  for (let i = 1; i < keys.length; i++) if ((keys[i - 1] as string) > (keys[i] as string)) return keys.sort();
  return keys;
}

/** Array.isArray that narrows read-only JSON lists. */
export function isList(value: unknown): value is readonly Json[] {
  return Array.isArray(value);
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
