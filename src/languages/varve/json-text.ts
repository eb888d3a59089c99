// What JSON.parse does not tell about a text that it accepts: keys that occur twice, and where a value stands. Everything
// here but `withoutTrailingCommas` expects text that JSON.parse accepted, so nothing is checked again.
import type { PlaceRequest } from './problems.ts';

const quoteCode = 34;
const backslash = 92;
const colon = 58;
const comma = 44;
const openBrace = 123;
const closeBrace = 125;
const openBracket = 91;
const closeBracket = 93;

/** How many members the objects of a text have; a parsed value with fewer has lost some to duplicate keys. */
export function countMembers(text: string): number {
  let members = 0;
  let at = text.indexOf('"');
  while (at >= 0) {
    const after = skipSpace(text, skipString(text, at));
    if (text.charCodeAt(after) === colon) members += 1;
    at = text.indexOf('"', after);
  }
  return members;
}

/** Offsets of the keys that occur a second time in their object. */
export function duplicateKeys(text: string): { readonly key: string; readonly offset: number }[] {
  const found: { key: string; offset: number }[] = [];
  const open: (Set<string> | undefined)[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === openBrace) open.push(new Set());
    else if (code === openBracket) open.push(undefined);
    else if (code === closeBrace || code === closeBracket) open.pop();
    else if (code === quoteCode) {
      const end = skipString(text, at);
      const names = open.at(-1);
      if (names !== undefined && text.charCodeAt(skipSpace(text, end)) === colon) {
        const key = JSON.parse(text.slice(at, end)) as string;
        if (names.has(key)) found.push({ key, offset: at });
        names.add(key);
      }
      at = end - 1;
    }
  }
  return found;
}

/** The text with commas before a closing bracket turned into spaces, so that every offset stays; undefined if none. */
export function withoutTrailingCommas(text: string): string | undefined {
  const pieces: string[] = [];
  let copied = 0;
  let lastComma = -1;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === quoteCode) {
      const end = skipString(text, at);
      if (end > text.length) return undefined;
      at = end - 1;
      lastComma = -1;
    } else if (code === comma) lastComma = at;
    else if ((code === closeBrace || code === closeBracket) && lastComma >= 0) {
      pieces.push(text.slice(copied, lastComma), ' ');
      copied = lastComma + 1;
      lastComma = -1;
    } else if (!isSpace(code)) lastComma = -1;
  }
  return pieces.length === 0 ? undefined : pieces.join('') + text.slice(copied);
}

interface Wish {
  readonly members: Map<string | number, Wish>;
  keyAt: number;
  valueAt: number;
}

/** Offsets of the requested places in one pass over the text; the nearest enclosing value where one does not exist. */
export function locateInJson(text: string, requests: readonly PlaceRequest[]): number[] {
  const root: Wish = { members: new Map(), keyAt: 0, valueAt: 0 };
  const chains = requests.map((request) => {
    const chain = [root];
    for (const key of request.path) {
      const wish = chain.at(-1)!;
      let next = wish.members.get(key);
      if (next === undefined) wish.members.set(key, (next = { members: new Map(), keyAt: -1, valueAt: -1 }));
      chain.push(next);
    }
    return chain;
  });
  grant(text, skipSpace(text, 0), root);
  return requests.map((request, index) => {
    const chain = chains[index]!;
    const wish = chain.at(-1)!;
    if (wish.valueAt >= 0) return request.at === 'key' ? wish.keyAt : wish.valueAt;
    return chain.findLast((step) => step.valueAt >= 0)!.valueAt;
  });
}

function grant(text: string, start: number, wish: Wish): number {
  wish.valueAt = start;
  const code = text.charCodeAt(start);
  if (wish.members.size === 0 || (code !== openBrace && code !== openBracket)) return skipValue(text, start);
  let at = skipSpace(text, start + 1);
  for (let index = 0; ; index += 1) {
    const here = text.charCodeAt(at);
    if (here === closeBrace || here === closeBracket) return at + 1;
    if (here === comma) at = skipSpace(text, at + 1);
    const keyAt = at;
    let key: string | number = index;
    if (code === openBrace) {
      const end = skipString(text, at);
      key = JSON.parse(text.slice(at, end)) as string;
      at = skipSpace(text, skipSpace(text, end) + 1);
    }
    const inner = wish.members.get(key);
    if (inner === undefined) at = skipValue(text, at);
    else {
      inner.keyAt = keyAt;
      at = grant(text, at, inner);
    }
    at = skipSpace(text, at);
  }
}

function skipValue(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === quoteCode) at = skipString(text, at) - 1;
    else if (code === openBrace || code === openBracket) depth += 1;
    else if (code === closeBrace || code === closeBracket) {
      if (depth === 0) return at;
      depth -= 1;
    } else if (code === comma && depth === 0) return at;
    if (depth === 0 && (code === quoteCode || code === closeBrace || code === closeBracket)) return at + 1;
  }
  return text.length;
}

/** Offset after the string that starts at `start`; past the text's end when it is not closed. */
function skipString(text: string, start: number): number {
  for (let end = start; ; ) {
    end = text.indexOf('"', end + 1);
    if (end < 0) return text.length + 1;
    let before = end - 1;
    while (text.charCodeAt(before) === backslash) before -= 1;
    if (((end - before) & 1) === 1) return end + 1;
  }
}

function skipSpace(text: string, start: number): number {
  let at = start;
  while (isSpace(text.charCodeAt(at))) at += 1;
  return at;
}

function isSpace(code: number): boolean {
  return code === 32 || code === 10 || code === 13 || code === 9;
}
