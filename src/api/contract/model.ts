// Pieces that the schemas of several routes share. A schema with a title becomes a component of the OpenAPI document.
import { type Static, type TProperties, type TSchema, Type } from 'typebox';

/** A value that may be null, in the short form that serializers handle at full speed. */
export function nullable<T extends TSchema>(schema: T) {
  const { type } = schema as unknown as { type: string };
  return Type.Unsafe<Static<T> | null>({ ...schema, type: [type, 'null'] });
}

/** An object that is known by its name in the OpenAPI document. */
export function model<T extends TProperties>(title: string, properties: T, description?: string) {
  return Type.Object(properties, { title, ...(description ? { description } : {}) });
}

/** The fields of a body: anything else is refused, so that a misspelled field is noticed. */
export function fields<T extends TProperties>(properties: T, title?: string) {
  return Type.Object(properties, { additionalProperties: false, ...(title ? { title } : {}) });
}

export function choice<const T extends readonly string[]>(values: T, options: object = {}) {
  return Type.Unsafe<T[number]>({ type: 'string', enum: [...values], ...options });
}

export const anyJson = Type.Unknown({ description: 'any JSON value' });
export const id = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER });
export const count = Type.Integer({ minimum: 0 });
export const text = Type.String();
/** Milliseconds since 1970. */
export const moment = Type.Integer({ description: 'milliseconds since 1970-01-01T00:00Z' });
export const milliseconds = Type.Number({ minimum: 0 });
export const bytes = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
export const optionalTime = Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }));
export const name = Type.String({ maxLength: 1000 });

export const signature = Type.String({ description: 'SHA-256 identity of a dataset' });
/** A dataset as callers name it. */
export const datasetParam = Type.Object({
  dataset: Type.String({
    pattern: '^[0-9a-f]{4,64}$',
    description: 'its signature, or a unique beginning of it',
  }),
});
export const runParam = Type.Object({ run: id });

export const project = Type.String({
  pattern: '^(~?[a-z0-9][a-z0-9._-]{0,63})$',
  description: 'who may see and reuse it: a project, or ~name for what belongs to one user alone',
});

export const page = {
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, default: 50 })),
  cursor: Type.Optional(Type.String({ maxLength: 500, description: '`next` of the page before; opaque' })),
};

/** A page of a list with the cursor of the next one. */
export function pageOf<T extends TSchema>(items: T) {
  return Type.Object({
    items: Type.Array(items),
    next: nullable(Type.String({ description: 'cursor of the next page; null at the end' })),
  });
}

export const place = model('Place', { file: text, line: count, column: count });

const problemFields = {
  code: text,
  message: text,
  place: Type.Optional(place),
  hint: Type.Optional(text),
};

/** One of several things that are wrong with an input. */
export const problemItem = model('ProblemItem', problemFields);

/** RFC 9457 problem details. */
export const problemDetails = model('Problem', {
  type: Type.String({ description: 'urn:varve:error: and the code' }),
  title: Type.String({ description: 'what the kind of error means' }),
  status: Type.Integer(),
  detail: Type.String({ description: 'what happened, to what, and what to do' }),
  code: Type.String({ description: 'stable, see docs/reference/errors.md' }),
  kind: text,
  requestId: Type.Optional(text),
  hint: Type.Optional(text),
  place: Type.Optional(place),
  problems: Type.Optional(Type.Array(problemItem)),
  missingFiles: Type.Optional(
    Type.Array(text, { description: 'files that the workflow names and that were not uploaded' }),
  ),
});
