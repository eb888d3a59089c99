// As much of a JSON Schema validator as the generated schema needs; keywords that it does not know are an error.
import { isList, isObject, type Json, type JsonObject } from '../../../src/core/json.ts';

type Check = (value: Json, argument: Json, schema: JsonObject) => boolean;

const ignored = new Set(['$schema', 'title', 'description', 'default', 'then', 'else']);
const types: Readonly<Record<string, (value: Json) => boolean>> = {
  object: isObject,
  array: isList,
  string: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number',
  integer: (value) => Number.isInteger(value),
  boolean: (value) => typeof value === 'boolean',
};

const checks: Readonly<Record<string, Check>> = {
  type: (value, type) => types[type as string]!(value),
  const: (value, wanted) => value === wanted,
  enum: (value, of) => (of as Json[]).includes(value),
  minimum: (value, least) => typeof value !== 'number' || value >= (least as number),
  maximum: (value, most) => typeof value !== 'number' || value <= (most as number),
  exclusiveMinimum: (value, above) => typeof value !== 'number' || value > (above as number),
  minLength: (value, least) => typeof value !== 'string' || value.length >= (least as number),
  pattern: (value, pattern) => typeof value !== 'string' || new RegExp(pattern as string, 'u').test(value),
  minItems: (value, least) => !isList(value) || value.length >= (least as number),
  items: (value, schema) => !isList(value) || value.every((item) => fits(item, schema as JsonObject)),
  required: (value, names) =>
    !isObject(value) || (names as string[]).every((name) => Object.hasOwn(value, name)),
  properties: (value, properties) =>
    !isObject(value) ||
    Object.entries(properties as JsonObject).every(
      ([name, schema]) => !Object.hasOwn(value, name) || fits(value[name]!, schema as JsonObject),
    ),
  propertyNames: (value, schema) =>
    !isObject(value) || Object.keys(value).every((name) => fits(name, schema as JsonObject)),
  additionalProperties: (value, argument, schema) => {
    if (!isObject(value)) return true;
    const known = (schema.properties ?? {}) as JsonObject;
    const further = Object.keys(value).filter((name) => !Object.hasOwn(known, name));
    if (argument === false) return further.length === 0;
    return further.every((name) => fits(value[name]!, argument as JsonObject));
  },
  anyOf: (value, schemas) => (schemas as JsonObject[]).some((schema) => fits(value, schema)),
  not: (value, schema) => !fits(value, schema as JsonObject),
  if: (value, condition, schema) =>
    fits(value, ((fits(value, condition as JsonObject) ? schema.then : schema.else) ?? {}) as JsonObject),
};

/** Whether a value is valid under a schema. */
export function fits(value: Json, schema: JsonObject): boolean {
  return Object.entries(schema).every(([keyword, argument]) => {
    if (ignored.has(keyword)) return true;
    const check = checks[keyword];
    if (check === undefined) throw new Error(`unknown keyword ${keyword}`);
    return check(value, argument, schema);
  });
}
