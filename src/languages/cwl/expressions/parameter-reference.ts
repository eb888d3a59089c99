// Parameter references such as $(inputs.file.path) are looked up directly; they never enter the JavaScript sandbox.
import { isList, isObject, type Json, type JsonObject } from '../../../core/json.ts';

export interface ParameterReference {
  readonly root: string;
  readonly path: readonly (string | number)[];
}

const rootPattern = /^\s*([\p{L}\p{N}_]+)/u;
const segmentPattern = /(?:\.([\p{L}\p{N}_]+)|\['((?:[^'\\]|\\.)*)'\]|\["((?:[^"\\]|\\.)*)"\]|\[(\d+)\])/uy;

/** The reference that a text is, or undefined when it is more than a reference. */
export function parseReference(text: string): ParameterReference | undefined {
  const root = rootPattern.exec(text);
  if (root === null) return undefined;
  const path: (string | number)[] = [];
  let at = root[0].length;
  while (at < text.length) {
    segmentPattern.lastIndex = at;
    const segment = segmentPattern.exec(text);
    if (segment === null) return text.slice(at).trim() === '' ? { root: root[1]!, path } : undefined;
    const [, name, single, double, index] = segment;
    if (index !== undefined) path.push(Number(index));
    else path.push(name ?? (single ?? double)!.replace(/\\(['"\\])/g, '$1'));
    at = segmentPattern.lastIndex;
  }
  return { root: root[1]!, path };
}

export type Lookup = { readonly value: Json } | { readonly problem: string };

/** The names that a reference can start with; any other root is left to JavaScript. */
export function isContextReference(reference: ParameterReference): boolean {
  return ['inputs', 'self', 'runtime'].includes(reference.root) || isNullReference(reference);
}

function isNullReference(reference: ParameterReference): boolean {
  return reference.root === 'null' && reference.path.length === 0;
}

/**
 * The value that a reference names in a context, or why there is none. Where JavaScript is allowed, the rules are those of
 * JavaScript: what does not exist is null, and only looking inside null is an error.
 */
export function lookUp(reference: ParameterReference, context: JsonObject, asJavascript: boolean): Lookup {
  if (isNullReference(reference)) return { value: null };
  if (!Object.hasOwn(context, reference.root)) return { problem: `${reference.root} is not defined` };
  let value: Json = context[reference.root]!;
  let walked = reference.root;
  for (const [position, key] of reference.path.entries()) {
    const isLast = position === reference.path.length - 1;
    const next = member(value, key, isLast || asJavascript, walked);
    if ('problem' in next && (!asJavascript || value === null)) return next;
    value = 'value' in next ? next.value : null;
    walked += typeof key === 'number' ? `[${key}]` : `.${key}`;
  }
  return { value };
}

function member(value: Json, key: string | number, lengthCounts: boolean, walked: string): Lookup {
  if (typeof key === 'number') {
    if (!isList(value) && typeof value !== 'string')
      return { problem: `${walked} is ${kindOf(value)}, so it has no element ${key}` };
    if (key >= value.length) return { problem: `${walked} has only ${value.length} elements` };
    return { value: value[key]! };
  }
  if (isList(value) && key === 'length' && lengthCounts) return { value: value.length };
  if (!isObject(value)) return { problem: `${walked} is ${kindOf(value)}, so it has no "${key}"` };
  if (!Object.hasOwn(value, key)) return { problem: `${walked} has no "${key}"` };
  return { value: value[key]! };
}

function kindOf(value: Json): string {
  if (value === null) return 'null';
  return isList(value) ? 'a list' : typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
