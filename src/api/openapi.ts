// The OpenAPI 3.1 document, made from the contract.
import type { TObject, TSchema } from 'typebox';
import { routeGroups } from './contract/all.ts';
import { problemDetails } from './contract/model.ts';
import { eventData } from './contract/system.ts';
import { headerFields, type Route } from './route.ts';

type Json = Record<string, unknown>;

const about = `Everything that the command line can do. Errors are RFC 9457 problem details with the stable codes of Varve. Lists
come in pages: give \`next\` back as \`cursor\`. Times are milliseconds since 1970, sizes are bytes. Unknown query parameters
and body fields are refused.`;

export function openApiDocument(): Json {
  const components: Json = {};
  const hoist = hoister(components);
  hoist(problemDetails);
  hoist(eventData);
  const paths: Record<string, Json> = {};
  for (const [group, routes] of Object.entries(routeGroups)) {
    for (const [name, route] of Object.entries(routes) as [string, Route][]) {
      const path = route.path.replace(/\{(\w+)\*\}/, '{$1}');
      paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(name, group, route, hoist) };
    }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Varve',
      version: '1',
      description: about,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/api/v1' }],
    security: [{ token: [] }, { session: [] }, {}],
    tags: Object.keys(routeGroups).map((name) => ({ name })),
    paths,
    components: {
      schemas: components,
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer' },
        session: { type: 'apiKey', in: 'cookie', name: 'varve-session' },
      },
    },
  };
}

type Hoist = (schema: unknown) => unknown;

/** Replaces schemas with a title by references to components. */
function hoister(components: Json): Hoist {
  const hoist = (schema: unknown): unknown => {
    if (Array.isArray(schema)) return schema.map(hoist);
    if (typeof schema !== 'object' || schema === null) return schema;
    const { title, ...rest } = schema as Json;
    const inner = Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, hoist(value)]));
    if (typeof title !== 'string') return inner;
    components[title] ??= inner;
    return { $ref: `#/components/schemas/${title}` };
  };
  return hoist;
}

function operation(name: string, group: string, route: Route, hoist: Hoist): Json {
  const status = String(route.status ?? 200);
  return {
    operationId: name,
    tags: [group],
    summary: route.summary,
    description: [route.description, `Needs the role ${route.role}.`].filter(Boolean).join(' '),
    parameters: [
      ...parametersOf(route.params, 'path', hoist),
      ...parametersOf(route.query, 'query', hoist),
      ...parametersOf(route.headers, 'header', hoist),
    ],
    ...requestBody(route, hoist),
    responses: {
      [status]: {
        description: 'done',
        content: route.response
          ? { 'application/json': { schema: hoist(route.response) } }
          : { [route.download ?? 'application/octet-stream']: { schema: { type: 'string' } } },
      },
      ...(route.headers && 'range' in route.headers.properties
        ? { 206: { description: 'the part asked for' } }
        : {}),
      default: {
        description: 'refused or failed',
        content: { 'application/problem+json': { schema: hoist(problemDetails) } },
      },
    },
  };
}

function parametersOf(schema: TObject | undefined, where: 'path' | 'query' | 'header', hoist: Hoist): Json[] {
  const required = (schema as { required?: readonly string[] } | undefined)?.required ?? [];
  return Object.entries((schema?.properties ?? {}) as Record<string, TSchema>).map(([field, type]) => {
    const { description, ...rest } = type as Json;
    return {
      name: where === 'header' ? headerFields[field as keyof typeof headerFields] : field,
      in: where,
      required: required.includes(field),
      ...(description ? { description } : {}),
      schema: hoist(rest),
    };
  });
}

function requestBody(route: Route, hoist: Hoist): Json {
  if (route.upload) {
    const schema = { type: 'string', format: 'binary' };
    return { requestBody: { required: true, content: { 'application/octet-stream': { schema } } } };
  }
  if (!route.body) return {};
  const required = ((route.body as { required?: readonly string[] }).required ?? []).length > 0;
  return { requestBody: { required, content: { 'application/json': { schema: hoist(route.body) } } } };
}
