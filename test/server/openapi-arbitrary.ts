// Requests made up from the OpenAPI document: mostly what fits it, now and then anything at all.
import fc from 'fast-check';

// biome-ignore lint/suspicious/noExplicitAny: a JSON schema is any of many shapes
type Schema = any;

export interface MadeUpRequest {
  readonly operation: string;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

/** Values that exist on the server, by the name of the parameter. */
export type Known = Readonly<Record<string, readonly (string | number)[]>>;

const nasty = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom(
    '',
    '0',
    '-1',
    '1e999',
    'NaN',
    'null',
    'true',
    '\0',
    '../../etc/passwd',
    '%',
    '%00',
    "' or 1=1 --",
    '\u{1F600}',
  ),
  fc.bigInt().map(String),
  fc.string({ maxLength: 3000 }),
);

const anyValue = fc.oneof(fc.jsonValue({ maxDepth: 4 }), nasty, fc.constant(Number.MAX_SAFE_INTEGER + 2));

export function requests(document: Schema, known: Known): fc.Arbitrary<MadeUpRequest> {
  const operations = Object.entries(document.paths as Record<string, Record<string, Schema>>).flatMap(
    ([path, item]) => Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
  );
  return fc.constantFrom(...operations).chain(({ path, method, operation }) => {
    const value = (schema: Schema, name?: string) => arbitraryOf(document, schema, known, name);
    const parameters = operation.parameters.map((one: Schema) =>
      fc.record({
        name: fc.constant(one.name as string),
        where: fc.constant(one.in as string),
        given: one.required ? fc.constant(true) : fc.boolean(),
        value: fc.oneof(
          { weight: 6, arbitrary: value(one.schema, one.name) },
          { weight: 1, arbitrary: nasty },
        ),
      }),
    );
    const content = operation.requestBody?.content ?? {};
    const json = content['application/json']?.schema;
    const body = json
      ? fc.oneof(
          { weight: 8, arbitrary: value(json).map((one) => JSON.stringify(one)) },
          { weight: 1, arbitrary: anyValue.map((one) => JSON.stringify(one) ?? '') },
          { weight: 1, arbitrary: nasty },
        )
      : content['application/octet-stream']
        ? nasty
        : fc.constant(undefined);
    const type = json ? 'application/json' : 'application/octet-stream';
    return fc
      .tuple(fc.tuple(...(parameters as fc.Arbitrary<Schema>[])), body)
      .map(([list, text]) => assemble({ operation: operation.operationId, method, path }, list, text, type));
  });
}

function assemble(
  { operation, method, path }: { operation: string; method: string; path: string },
  parameters: readonly { name: string; where: string; given: boolean; value: unknown }[],
  body: string | undefined,
  type: string,
): MadeUpRequest {
  let address = path;
  const query = new URLSearchParams();
  const headers: Record<string, string> = {};
  for (const { name, where, given, value } of parameters) {
    if (!given) continue;
    const texts = (Array.isArray(value) ? value : [value]).map((one) =>
      typeof one === 'object' ? JSON.stringify(one) : String(one),
    );
    if (where === 'path') address = address.replace(`{${name}}`, encode(texts[0] ?? ''));
    else if (where === 'query') for (const text of texts) query.append(name, text.toWellFormed());
    else headers[name] = (texts[0] ?? '').replace(/[^\x20-\x7e]/g, '').trim();
  }
  const asked = query.size > 0 ? `?${query}` : '';
  return {
    operation,
    method: method.toUpperCase(),
    path: `/api/v1${address}${asked}`,
    headers: { ...headers, ...(body === undefined ? {} : { 'content-type': type }) },
    body,
  };
}

function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed()) || '%20';
}

function arbitraryOf(document: Schema, schema: Schema, known: Known, name?: string): fc.Arbitrary<unknown> {
  const inner = (one: Schema, field?: string) => arbitraryOf(document, one, known, field);
  if (schema.$ref) return inner(document.components.schemas[schema.$ref.split('/').at(-1)], name);
  const there = name === undefined ? undefined : known[name];
  if (there && there.length > 0) return fc.oneof(fc.constantFrom(...there), plain(schema, inner));
  return plain(schema, inner);
}

function plain(
  schema: Schema,
  inner: (schema: Schema, field?: string) => fc.Arbitrary<unknown>,
): fc.Arbitrary<unknown> {
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map((one: Schema) => inner(one)));
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  switch (type) {
    case 'integer':
      return fc.oneof(
        fc.integer({
          min: Math.max(schema.minimum ?? -1000, -1000),
          max: Math.min(schema.maximum ?? 1000, 1000),
        }),
        fc.maxSafeInteger(),
      );
    case 'number':
      return fc.double({ noNaN: true, noDefaultInfinity: true });
    case 'boolean':
      return fc.boolean();
    case 'array':
      return fc.array(inner(schema.items), { maxLength: 3 });
    case 'object':
      return object(schema, inner);
    case 'string':
      return schema.pattern ? fc.oneof(fc.stringMatching(new RegExp(schema.pattern)), nasty) : nasty;
    default:
      return anyValue;
  }
}

function object(
  schema: Schema,
  inner: (schema: Schema, field?: string) => fc.Arbitrary<unknown>,
): fc.Arbitrary<unknown> {
  if (schema.patternProperties) {
    const [values] = Object.values(schema.patternProperties) as Schema[];
    return fc.dictionary(fc.oneof(fc.constant('/a/b'), nasty), inner(values), { maxKeys: 3 });
  }
  const fields = Object.entries((schema.properties ?? {}) as Record<string, Schema>);
  if (fields.length === 0) return fc.dictionary(fc.string({ maxLength: 10 }), anyValue, { maxKeys: 4 });
  return fc.record(Object.fromEntries(fields.map(([name, one]) => [name, inner(one, name)])), {
    requiredKeys: [...(schema.required ?? [])],
  });
}
