// Values that a document or a caller gives: scalars, files, directories, addresses and lists of them, with the paths made
// absolute. Parameters and literal inputs are of this form.
import { basename, resolve } from 'node:path';
import { isList, isObject, type Json } from '../../core/json.ts';
import type { Scalar } from './document.ts';

export type GivenValue =
  | { readonly is: 'scalar'; readonly value: Scalar }
  | {
      readonly is: 'file' | 'directory';
      readonly path: string;
      readonly name: string;
      readonly written: string;
    }
  | { readonly is: 'url'; readonly url: string }
  | { readonly is: 'list'; readonly items: readonly GivenValue[] };

/** The value of a checked literal; relative paths start at `folder`. */
export function givenValue(value: Json, folder: string): GivenValue {
  if (isList(value)) return { is: 'list', items: value.map((item) => givenValue(item, folder)) };
  if (isObject(value)) {
    if (typeof value.file === 'string') return givenPath('file', value.file, folder);
    if (typeof value.directory === 'string') return givenPath('directory', value.directory, folder);
    return { is: 'url', url: String(value.url) };
  }
  return { is: 'scalar', value: value as Scalar };
}

export function givenPath(is: 'file' | 'directory', written: string, folder: string): GivenValue {
  const path = resolve(folder, written);
  return { is, path, name: basename(path), written };
}

/** True for an address that can be fetched. */
export function isFetchable(url: string): boolean {
  return URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
}

/** The last name of an address: what the file is called for a command, wherever it is kept. */
export function urlName(url: string): string {
  const last = new URL(url).pathname.split('/').at(-1)!;
  const name = last.replaceAll(/[^A-Za-z0-9._+@=-]/g, '_').replace(/^\.+/, '');
  return name === '' ? 'download' : name;
}
