// The JSON Schema of the language (draft 2020-12), made from the field table, so that editors complete and check documents.
import type { JsonObject } from '../../core/json.ts';
import { actionIdRule, type FieldTable, type Shape } from './field-shape.ts';
import { actionFields, actionTypes, callFields, workflowFields } from './field-table.ts';
import { durationPattern, mostBytes, mostSeconds, sizePattern } from './units.ts';

/** The schema of a workflow document. */
export function workflowJsonSchema(): JsonObject {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Varve workflow',
    description: 'A workflow of the Varve workflow engine.',
    ...objectSchema(
      { ...workflowFields, actions: { ...workflowFields.actions, shape: { is: 'any' } } },
      {
        actions: {
          type: 'array',
          minItems: 1,
          description: workflowFields.actions.description,
          items: actionSchema(),
        },
      },
    ),
  };
}

/** Actions of types without back-end have fields that this schema does not know. */
function actionSchema(): JsonObject {
  const other = Object.entries(actionTypes).filter(([, facts]) => !facts.available);
  return {
    type: 'object',
    if: { required: ['type'], properties: { type: { enum: other.map(([name]) => name) } } },
    // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema
    then: {
      required: ['id', 'type'],
      properties: { id: shapeSchema({ is: 'id' }), type: { enum: other.map(([name]) => name) } },
    },
    else: {
      if: { required: ['type'], properties: { type: { const: 'cwl' } } },
      // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema
      then: objectSchema(callFields),
      else: objectSchema(actionFields, {
        type: {
          description: actionFields.type.description,
          enum: Object.keys(actionTypes),
          default: actionFields.type.default,
        },
      }),
    },
  };
}

function objectSchema(fields: FieldTable, instead: Readonly<Record<string, JsonObject>> = {}): JsonObject {
  const properties: Record<string, JsonObject> = {};
  for (const [name, field] of Object.entries(fields)) {
    const shown = field.default === undefined ? '' : ` Default: ${field.default}.`;
    properties[name] = instead[name] ?? {
      description: field.description + shown,
      ...shapeSchema(field.shape),
    };
  }
  const required = Object.keys(fields).filter((name) => fields[name]!.required);
  return {
    type: 'object',
    ...(required.length > 0 ? { required } : {}),
    properties,
    additionalProperties: false,
  };
}

function shapeSchema(shape: Shape): JsonObject {
  switch (shape.is) {
    case 'any':
      return {};
    case 'string':
      return shape.empty ? { type: 'string' } : { type: 'string', minLength: 1 };
    case 'boolean':
      return { type: 'boolean' };
    case 'integer':
    case 'number':
      return {
        type: shape.is,
        ...(shape.least === undefined ? {} : { minimum: shape.least }),
        ...(shape.most === undefined ? {} : { maximum: shape.most }),
        ...(shape.above === undefined ? {} : { exclusiveMinimum: shape.above }),
      };
    case 'choice':
      return { enum: shape.of };
    case 'duration':
      return {
        anyOf: [
          { type: 'number', minimum: 0, maximum: mostSeconds },
          { type: 'string', pattern: durationPattern },
        ],
      };
    case 'size':
      return {
        anyOf: [
          { type: 'number', minimum: 0, maximum: mostBytes },
          { type: 'string', pattern: sizePattern },
        ],
      };
    case 'id':
      return {
        anyOf: [
          { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
          { type: 'string', pattern: actionIdRule.pattern.source },
        ],
      };
    case 'name':
      return { type: 'string', pattern: shape.rule.pattern.source };
    case 'inner path':
      return { type: 'string', minLength: 1, not: { pattern: '^/|(^|/)\\.\\.(/|$)' } };
    case 'list':
      return {
        type: 'array',
        items: shapeSchema(shape.of),
        ...(shape.least === undefined ? {} : { minItems: shape.least }),
      };
    case 'map':
      return {
        type: 'object',
        propertyNames: { pattern: shape.names.pattern.source },
        additionalProperties: shapeSchema(shape.of),
      };
    case 'object':
      return objectSchema(shape.fields);
    case 'one of':
      return { anyOf: shape.of.map(shapeSchema) };
  }
}
