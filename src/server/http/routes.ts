// Puts the contract on Fastify: every row becomes a route with its schemas, its role, and its handler.
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { contract } from '../../api/contract/all.ts';
import { type Download, headerFields, type Role, type Route, roles } from '../../api/route.ts';
import type { Caller, Site } from '../caller.ts';
import { serverErrors } from '../error-codes.ts';
import { handlers } from '../routes/all.ts';
import type { Authenticate } from './authenticate.ts';

export const apiPrefix = '/api/v1';

export interface RouteOptions {
  readonly site: Site;
  readonly authenticate: Authenticate;
  readonly uploadLimit: number;
}

export function addRoutes(app: FastifyInstance, options: RouteOptions): void {
  for (const [name, route] of Object.entries(contract)) addRoute(app, name, route, options);
}

/** `{run}` is `:run`, `{path*}` is the wildcard. */
export function fastifyPath(path: string): string {
  return path.replace(/\{\w+\*\}/, '*').replace(/\{(\w+)\}/g, ':$1');
}

function addRoute(
  app: FastifyInstance,
  name: string,
  route: Route,
  { site, authenticate, uploadLimit }: RouteOptions,
): void {
  const handler = handlers[name as keyof typeof handlers] as (
    input: unknown,
    caller: Caller,
  ) => Promise<unknown>;
  const rest = /\{(\w+)\*\}/.exec(route.path)?.[1];
  app.route({
    method: route.method,
    url: `${apiPrefix}${fastifyPath(route.path)}`,
    ...(route.upload ? { bodyLimit: uploadLimit } : {}),
    schema: {
      ...(route.params ? { params: rest ? wildcard(route.params, rest) : route.params } : {}),
      ...(route.query ? { querystring: { ...route.query, additionalProperties: false } } : {}),
      ...(route.body ? { body: route.body } : {}),
      ...(route.response ? { response: { [route.status ?? 200]: route.response } } : {}),
    },
    config: { upload: route.upload === true },
    async handler(request, reply) {
      const access = await authenticate(request);
      requireRole(access.role, route.role);
      // Only what goes on for long needs to know that its caller has gone.
      const signal = route.response ? undefined : goneSignal(request, reply);
      const caller: Caller = { site, access, signal };
      const output = await handler(inputOf(request, route, rest), caller);
      reply.code(route.status ?? 200);
      return route.response ? output : sendDownload(output as Download, reply);
    },
  });
}

function wildcard(params: object, rest: string): object {
  const text = JSON.parse(JSON.stringify(params)) as {
    properties: Record<string, object>;
    required: string[];
  };
  const { [rest]: pattern, ...properties } = text.properties;
  const required = text.required.map((field) => (field === rest ? '*' : field));
  return { ...text, properties: { ...properties, '*': pattern }, required };
}

function requireRole(has: Role, needed: Role): void {
  if (roles.indexOf(has) < roles.indexOf(needed)) throw serverErrors.ROLE_DENIED(needed, has);
}

/** Everything that the caller gave as one object, as handlers and clients know it. */
function inputOf(request: FastifyRequest, route: Route, rest: string | undefined): unknown {
  const params = { ...(request.params as Record<string, unknown>) };
  if (rest !== undefined) {
    params[rest] = params['*'];
    delete params['*'];
  }
  const headers: Record<string, unknown> = {};
  for (const field of Object.keys(route.headers?.properties ?? {}) as (keyof typeof headerFields)[]) {
    const value = request.headers[headerFields[field]];
    if (value !== undefined) headers[field] = value;
  }
  if (route.upload) return { ...params, ...headers, bytes: request.body ?? request.raw };
  return { ...(request.query as object), ...(request.body as object | undefined), ...params, ...headers };
}

/** Aborts when the caller has closed the connection before the answer was complete. */
function goneSignal(request: FastifyRequest, reply: FastifyReply): AbortSignal {
  const gone = new AbortController();
  reply.raw.once('close', () => gone.abort());
  request.raw.once('error', () => gone.abort());
  return gone.signal;
}

function sendDownload(download: Download, reply: FastifyReply): FastifyReply {
  const { contentType, sizeBytes, part, etag, fileName, body } = download;
  reply.header('content-type', contentType);
  const live = contentType === 'text/event-stream';
  reply.header('cache-control', live ? 'no-store' : 'private, no-cache');
  if (live) reply.header('x-accel-buffering', 'no');
  // What actions wrote must never act as a page of this site.
  reply.header('content-security-policy', "sandbox; default-src 'none'");
  if (sizeBytes !== undefined) {
    reply.header('content-length', sizeBytes);
    reply.header('accept-ranges', 'bytes');
  }
  if (etag !== undefined) reply.header('etag', etag);
  if (fileName !== undefined) reply.header('content-disposition', disposition(fileName, contentType));
  if (part) {
    reply.code(206);
    reply.header('content-range', `bytes ${part.first}-${part.last}/${part.of}`);
  }
  return reply.send(Readable.from(body, { objectMode: false, highWaterMark: 1 << 18 }));
}

function disposition(fileName: string, contentType: string): string {
  const kind =
    contentType === 'application/octet-stream' || contentType === 'application/x-tar'
      ? 'attachment'
      : 'inline';
  const plain = fileName.replace(/[^\w.-]/g, '_');
  return `${kind}; filename="${plain}"; filename*=UTF-8''${encodeURIComponent(fileName).replace(/['()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)}`;
}
