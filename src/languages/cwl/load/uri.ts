// References between documents and files: relative paths, file: and http(s): URLs, `prefix:name` of $namespaces, and the
// fragments that name things inside a document. File names may contain colons and hash marks, so a scheme counts only when it is
// known or followed by "//".
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const knownSchemes = new Set([
  'file',
  'http',
  'https',
  'ftp',
  's3',
  'gs',
  'urn',
  'data',
  'keep',
  'arvwf',
  '_',
]);

/** True for an absolute URL, false for a relative reference (also one whose first name contains a colon). */
export function isAbsoluteUrl(reference: string): boolean {
  const match = /^([A-Za-z_][A-Za-z0-9+.-]*):(\/\/)?/.exec(reference);
  return match !== null && (match[2] !== undefined || knownSchemes.has(match[1]!.toLowerCase()));
}

/** The absolute URL of a reference found in a document at `baseUrl`. */
export function resolveUrl(reference: string, baseUrl: string): string {
  if (isAbsoluteUrl(reference)) return reference;
  if (reference.startsWith('#')) return withoutFragment(baseUrl) + reference;
  const first = reference.split(/[/#?]/, 1)[0]!;
  try {
    return new URL(first.includes(':') ? `./${reference}` : reference, baseUrl).href;
  } catch {
    return withoutFragment(baseUrl).replace(/[^/]*$/, '') + encodeURI(reference);
  }
}

export function withoutFragment(url: string): string {
  const hash = url.indexOf('#');
  return hash < 0 ? url : url.slice(0, hash);
}

export function fragmentOf(url: string): string | undefined {
  const hash = url.indexOf('#');
  if (hash < 0) return undefined;
  const fragment = url.slice(hash + 1);
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}

/** Expands `prefix:name` by the prefixes that the document declared. */
export function expandPrefix(name: string, namespaces: Readonly<Record<string, string>>): string {
  const colon = name.indexOf(':');
  if (colon <= 0 || name.startsWith('//', colon + 1)) return name;
  const prefix = name.slice(0, colon);
  return Object.hasOwn(namespaces, prefix) ? namespaces[prefix] + name.slice(colon + 1) : name;
}

/** The absolute URL that a link in a document names, perhaps by a prefix. */
export function resolveLink(
  reference: string,
  source: { readonly baseUrl: string; readonly namespaces: Readonly<Record<string, string>> },
): string {
  return resolveUrl(expandPrefix(reference, source.namespaces), source.baseUrl);
}

/** The last part of an identifier: what inputs, outputs, steps, fields and symbols are called. */
export function shortName(identifier: string): string {
  const hash = identifier.lastIndexOf('#');
  const fragment = hash < 0 ? identifier : identifier.slice(hash + 1);
  return fragment.slice(fragment.lastIndexOf('/') + 1);
}

/** A path or URL as a user types it, with an optional `#fragment`; a file whose name contains "#" wins. */
export function urlOfArgument(argument: string, directory: string): string {
  if (isAbsoluteUrl(argument)) return argument;
  const whole = resolve(directory, argument);
  const hash = argument.lastIndexOf('#');
  if (hash < 0 || existsSync(whole)) return pathToFileURL(whole).href;
  return `${pathToFileURL(resolve(directory, argument.slice(0, hash))).href}#${argument.slice(hash + 1)}`;
}

/** Paths that are the same in a URL, which is most of them: making a URL object costs twenty times as much as looking. */
const plainPath = /^(?:\/\w[\w.-]*)+$/;

export function urlOfPath(path: string): string {
  return plainPath.test(path) ? `file://${path}` : pathToFileURL(path).href;
}

/** The local path of a file: URL, or undefined for anything else. */
export function pathOfUrl(url: string): string | undefined {
  if (!url.startsWith('file:')) return undefined;
  const path = url.startsWith('file:///') ? url.slice('file://'.length) : '';
  if (plainPath.test(path)) return path;
  try {
    return fileURLToPath(withoutFragment(url));
  } catch {
    return undefined;
  }
}
