// Completion from the JSON Schema of the language: the fields that may stand where the cursor is, and the values that a field may have.
import type { Completion, CompletionContext, CompletionResult } from '@codemirror/autocomplete';
import schema from '../../../schema/workflow.schema.json' with { type: 'json' };
import { placeAt } from './document-place.ts';

export interface Schema {
  readonly $ref?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean | Schema;
  readonly items?: boolean | Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly then?: Schema;
  readonly else?: Schema;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly type?: string | readonly string[];
  readonly $defs?: Readonly<Record<string, Schema>>;
}

const root = schema as unknown as Schema;

/** All forms that a schema allows, with references followed. */
function formsOf(one: Schema, depth = 0): Schema[] {
  if (depth > 8) return [];
  if (one.$ref !== undefined) {
    const target = one.$ref
      .split('/')
      .slice(1)
      .reduce<unknown>((at, name) => (at as Record<string, unknown> | undefined)?.[name], root) as
      | Schema
      | undefined;
    return target ? formsOf(target, depth + 1) : [];
  }
  const parts = [one.else ?? [], one.then ?? [], one.anyOf ?? [], one.oneOf ?? [], one.allOf ?? []].flat();
  return [one, ...parts.flatMap((part) => formsOf(part, depth + 1))];
}

/** The schemas of what lies at a path; numbers are places in lists. */
export function schemasAt(path: readonly (string | number)[], from: Schema = root): Schema[] {
  let here = formsOf(from);
  for (const step of path) {
    here = here.flatMap((one) => {
      if (typeof step === 'number') return typeof one.items === 'object' ? formsOf(one.items) : [];
      const field =
        one.properties?.[step] ??
        (typeof one.additionalProperties === 'object' ? one.additionalProperties : undefined);
      return field ? formsOf(field) : [];
    });
  }
  return here;
}

export function schemaCompletion(context: CompletionContext): CompletionResult | null {
  const text = context.state.doc.toString();
  const word = context.matchBefore(/[\w$-]*/);
  const from = word?.from ?? context.pos;
  if (!context.explicit && from === context.pos) return null;
  const place = placeAt(text, from);
  if (!place) return null;
  const options = place.value
    ? valuesAt(place.path)
    : fieldsAt(place.path, place.json, text.slice(context.pos));
  return options.length === 0 ? null : { from, options, validFor: /^[\w$-]*$/ };
}

function fieldsAt(path: readonly (string | number)[], isJson: boolean, rest: string): Completion[] {
  const fields = new Map<string, Schema>();
  for (const one of schemasAt(path))
    for (const [name, field] of Object.entries(one.properties ?? {}))
      if (!fields.has(name)) fields.set(name, field);
  const open = !isJson && !/^\s*:/.test(rest);
  return [...fields].map(([label, { description }]) => ({
    label,
    type: 'property',
    apply: open ? `${label}: ` : label,
    ...(description ? { info: description } : {}),
  }));
}

function valuesAt(path: readonly (string | number)[]): Completion[] {
  const values = schemasAt(path).flatMap((one) => [
    ...(one.enum ?? []),
    ...(one.const === undefined ? [] : [one.const]),
    ...(one.type === 'boolean' ? [true, false] : []),
  ]);
  return [...new Set(values.map(String))].map((label) => ({ label, type: 'constant' }));
}
