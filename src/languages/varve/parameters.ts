// The parameters of a workflow: declared with a type or by a default, set by whoever starts the run. Values that come as
// text, from a command line, are read as the declared type.
import { isList, isObject, type Json } from '../../core/json.ts';
import { valueWords } from './check-shape.ts';
import type { ParameterType } from './document.ts';
import { languageErrors } from './error-codes.ts';
import { type GivenValue, givenPath, givenValue } from './given-value.ts';
import { hintFromNames } from './nearest-name.ts';
import type { DocumentPath, Problems } from './problems.ts';

const typeForms: Readonly<Record<ParameterType, string>> = {
  string: 'a string',
  number: 'a number',
  boolean: 'true or false',
  list: 'a list: a,b,c or JSON ["a", "b"]',
  file: 'the path of a file',
  directory: 'the path of a directory',
  url: 'an address',
};

export interface ParameterFolders {
  /** Folder of the document: where its defaults start. */
  readonly document: string;
  /** Where paths in given values start. */
  readonly given: string;
}

/** The values of all parameters of a run; problems are noted for values that are missing, unknown or do not fit. */
export function resolveParameters(
  declared: { readonly [name: string]: Json },
  given: Readonly<Record<string, Json>>,
  folders: ParameterFolders,
  problems: Problems,
): Map<string, GivenValue> {
  const values = new Map<string, GivenValue>();
  const path: DocumentPath = { parent: undefined, key: 'params' };
  for (const [name, declaration] of Object.entries(declared)) {
    const inner = { parent: path, key: name };
    const long = isObject(declaration) && declaration.type !== undefined;
    const type = long ? (declaration.type as ParameterType) : typeOf(declaration);
    const override = Object.hasOwn(given, name) ? given[name] : undefined;
    const fallback = long ? declaration.default : declaration;
    const chosen = override ?? fallback;
    if (chosen === undefined) {
      problems.add(inner, 'key', (place) => languageErrors.PARAMETER_MISSING.with({ place }, name));
      continue;
    }
    const folder = override === undefined ? folders.document : folders.given;
    const value = fit(type, chosen, folder);
    if (value !== undefined) values.set(name, value);
    else
      problems.add(inner, 'value', (place) =>
        languageErrors.PARAMETER_VALUE.with({ place }, name, typeForms[type], valueWords(chosen)),
      );
  }
  for (const name of Object.keys(given)) {
    if (Object.hasOwn(declared, name)) continue;
    const hint = hintFromNames(name, Object.keys(declared), 'parameters');
    problems.add(undefined, 'value', () => languageErrors.PARAMETER_UNKNOWN.with({ hint }, name));
  }
  return values;
}

function typeOf(value: Json): ParameterType {
  if (isList(value)) return 'list';
  if (isObject(value)) return 'file' in value ? 'file' : 'directory' in value ? 'directory' : 'url';
  return typeof value as 'string' | 'number' | 'boolean';
}

function fit(type: ParameterType, value: Json, folder: string): GivenValue | undefined {
  const scalar = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
  switch (type) {
    case 'string':
      return scalar && isText(String(value)) ? { is: 'scalar', value: String(value) } : undefined;
    case 'number': {
      const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
      return typeof number === 'number' && Number.isFinite(number)
        ? { is: 'scalar', value: number }
        : undefined;
    }
    case 'boolean':
      if (typeof value === 'boolean') return { is: 'scalar', value };
      return value === 'true' || value === 'false' ? { is: 'scalar', value: value === 'true' } : undefined;
    case 'list':
      return fitList(value, folder);
    case 'file':
    case 'directory': {
      const path = isObject(value) ? value[type] : value;
      return typeof path === 'string' && path !== '' ? givenPath(type, path, folder) : undefined;
    }
    case 'url': {
      const url = isObject(value) ? value.url : value;
      return typeof url === 'string' ? { is: 'url', url } : undefined;
    }
  }
}

function fitList(value: Json, folder: string): GivenValue | undefined {
  let items = value;
  if (typeof value === 'string' && value.trimStart().startsWith('[')) {
    try {
      items = JSON.parse(value) as Json;
    } catch {
      return undefined;
    }
  } else if (typeof value === 'string') items = value === '' ? [] : value.split(',');
  if (!isList(items) || !items.every(isListable)) return undefined;
  return givenValue(items, folder);
}

/** No program can be given a NUL character. */
function isText(value: string): boolean {
  return !value.includes('\0');
}

/** An entry of a list that came from outside the document, whose shape nobody has checked. */
function isListable(item: Json): boolean {
  if (typeof item === 'boolean') return true;
  if (typeof item === 'string') return isText(item);
  if (typeof item === 'number') return Number.isFinite(item);
  if (!isObject(item) || Object.keys(item).length !== 1) return false;
  return ['file', 'directory', 'url'].some((key) => typeof item[key] === 'string' && item[key] !== '');
}
