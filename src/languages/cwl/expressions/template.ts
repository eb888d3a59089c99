// A field that may contain parameter references and expressions, taken apart once: text, references that need no JavaScript, and
// scripts. The rules for backslashes changed with v1.2.
import { cwlErrors } from '../error-codes.ts';
import type { CwlVersion } from '../model/process.ts';
import { type ParameterReference, parseReference } from './parameter-reference.ts';
import { endOfScript } from './scan-script.ts';

export interface Script {
  readonly kind: 'script';
  /** As written, for messages. */
  readonly source: string;
  /** An expression, or the body of a function. */
  readonly code: string;
  readonly isBody: boolean;
  /** Set when the script is a plain parameter reference. */
  readonly reference?: ParameterReference;
}

export type TemplatePart = { readonly kind: 'text'; readonly text: string } | Script;

/** A template with one script and nothing around it gives the script's own value; any other gives a text. */
export type Template = readonly TemplatePart[];

const caches: Record<'old' | 'new', Map<string, Template>> = { old: new Map(), new: new Map() };
const cacheLimit = 10_000;

/** True when a text contains something to evaluate. */
export function hasExpression(text: string): boolean {
  return text.includes('$(') || text.includes('${');
}

export function parseTemplate(text: string, version: CwlVersion): Template {
  const rules = version === 'v1.2' ? 'new' : 'old';
  const cache = caches[rules];
  let template = cache.get(text);
  if (template === undefined) {
    template = parse(text, rules);
    if (cache.size >= cacheLimit) cache.clear();
    cache.set(text, template);
  }
  return template;
}

function parse(text: string, rules: 'old' | 'new'): Template {
  const parts: TemplatePart[] = [];
  let plain = '';
  let at = 0;
  while (at < text.length) {
    const character = text[at];
    const next = text[at + 1];
    if (character === '\\' && next !== undefined) {
      const [written, length] = unescaped(text, at, rules);
      plain += written;
      at += length;
    } else if (character === '$' && (next === '(' || next === '{')) {
      const end = endOfScript(text, at + 1);
      if (end === undefined)
        throw cwlErrors.CWL_EXPRESSION(excerpt(text.slice(at)), 'its bracket is never closed');
      if (plain !== '') parts.push({ kind: 'text', text: plain });
      plain = '';
      parts.push(script(text.slice(at, end)));
      at = end;
    } else {
      plain += character;
      at += 1;
    }
  }
  if (plain !== '') parts.push({ kind: 'text', text: plain });
  return parts;
}

function unescaped(text: string, at: number, rules: 'old' | 'new'): [written: string, length: number] {
  const next = text[at + 1]!;
  if (rules === 'old') return [next, 2];
  if (next === '\\') return ['\\', 2];
  if (text.startsWith('$(', at + 1) || text.startsWith('${', at + 1)) return [text.slice(at + 1, at + 3), 3];
  return [text.slice(at, at + 2), 2];
}

function script(source: string): Script {
  const code = source.slice(2, -1);
  if (source[1] === '{') return { kind: 'script', source, code, isBody: true };
  const reference = parseReference(code);
  return reference === undefined
    ? { kind: 'script', source, code, isBody: false }
    : { kind: 'script', source, code, isBody: false, reference };
}

/** An expression short enough for a message. */
export function excerpt(source: string): string {
  const line = source.replace(/\s+/g, ' ').trim();
  return line.length <= 100 ? line : `${line.slice(0, 99)}…`;
}
