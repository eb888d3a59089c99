// POSIX glob patterns inside one directory: `*`, `?` and `[…]` within names, hidden files only by an explicit dot, results sorted by
// their bytes.
import { lstatSync, readdirSync, statSync } from 'node:fs';
import { posix } from 'node:path';

/** Paths relative to `folder` that match; a pattern without wildcards matches what exists. */
export function globIn(folder: string, pattern: string): string[] {
  const parts = posix
    .normalize(pattern)
    .split('/')
    .filter((part) => part !== '' && part !== '.');
  if (parts.length === 0) return ['.'];
  let found = [''];
  for (const [index, part] of parts.entries()) {
    const last = index === parts.length - 1;
    found = found.flatMap((base) => matches(folder, base, part, last));
  }
  return found.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
}

function matches(folder: string, base: string, part: string, last: boolean): string[] {
  const name = literal(part);
  if (name !== undefined) {
    const path = posix.join(base, name);
    return exists(posix.join(folder, path)) ? [path] : [];
  }
  const expression = toRegExp(part);
  const names = readNames(posix.join(folder, base));
  return names
    .filter((one) => expression.test(one) && (part.startsWith('.') || !one.startsWith('.')))
    .map((one) => posix.join(base, one))
    .filter((path) => last || isFolder(posix.join(folder, path)));
}

/** The name that a pattern without wildcards stands for. */
function literal(part: string): string | undefined {
  return /(?<!\\)[*?[]/.test(part) ? undefined : part.replace(/\\(.)/g, '$1');
}

function toRegExp(part: string): RegExp {
  let text = '';
  for (let at = 0; at < part.length; at += 1) {
    const character = part[at]!;
    const end = character === '[' ? part.indexOf(']', at + 2) : -1;
    if (character === '*') text += '[^/]*';
    else if (character === '?') text += '[^/]';
    else if (character === '\\' && at + 1 < part.length) {
      at += 1;
      text += escaped(part[at]!);
    } else if (end > 0) {
      const members = part
        .slice(at + 1, end)
        .replace(/^[!^]/, '')
        .replace(/[\\\]^]/g, '\\$&');
      text += /^[!^]/.test(part.slice(at + 1)) ? `[^${members}]` : `[${members}]`;
      at = end;
    } else text += escaped(character);
  }
  try {
    return new RegExp(`^${text}$`, 'su');
  } catch {
    return new RegExp(`^${escaped(part)}$`, 'su');
  }
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
}

function exists(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function readNames(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}
