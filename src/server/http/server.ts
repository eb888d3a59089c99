// The HTTP server: Fastify with our schemas, limits, headers and logs.
import { randomUUID } from 'node:crypto';
import { Ajv } from 'ajv';
import fastify, {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import { packagePath } from '../../assets.ts';
import type { Site } from '../caller.ts';
import { serverErrors } from '../error-codes.ts';
import { createAuthenticate } from './authenticate.ts';
import { limitBodyTime } from './body-time.ts';
import { cookieNames } from './cookies.ts';
import { refuseForeignOrigins } from './cross-origin.ts';
import { addDocsRoutes } from './docs-routes.ts';
import { measureRequests } from './metrics.ts';
import { addLoginRoutes } from './oidc.ts';
import { sendProblem } from './problems.ts';
import { checkRequestText } from './request-text.ts';
import { addRoutes, apiPrefix } from './routes.ts';
import { addSystemRoutes } from './system-routes.ts';
import { traceRequests } from './trace-requests.ts';
import { refuseMessage } from './unreadable-requests.ts';
import { addWebPage } from './web-page.ts';

/** Takes whole lines. */
export interface LogStream {
  write(line: string): unknown;
}

export interface HttpOptions {
  readonly site: Site;
  readonly authenticationRequired: boolean;
  /** The address under which people reach the server, if it is not where it listens. */
  readonly publicUrl: string | undefined;
  readonly listenUrl: () => string;
  readonly log: { readonly level: string; readonly stream: LogStream };
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The body is a file of any length. */
    upload?: boolean;
  }
}

const securityHeaders = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
} as const;

/** Bodies are taken as they are; what stands in an address is text that may mean a number. */
const ajvs = {
  body: new Ajv({ allErrors: true, coerceTypes: false, useDefaults: false, strict: false }),
  address: new Ajv({ allErrors: true, coerceTypes: 'array', useDefaults: false, strict: false }),
};

export function createHttpServer(options: HttpOptions): FastifyInstance {
  const { site, publicUrl } = options;
  const { server: limits, oidc } = site.varve.config;
  const publicOrigin = publicUrl && new URL(publicUrl).origin;
  const cookies = cookieNames(publicUrl?.startsWith('https:') ?? false);
  const { authenticate, proveToken } = createAuthenticate({
    store: site.varve.store,
    userName: site.varve.userName,
    required: options.authenticationRequired,
    publicHost: publicUrl && new URL(publicUrl).host,
    sessionCookie: cookies.session,
    rateLimit: limits.rateLimit,
  });
  const app = fastify({
    logger: {
      level: options.log.level,
      stream: options.log.stream,
      serializers: {
        req: ({ method, url, ip }) => ({ method, url: url.slice(0, 500), ip }),
        res: ({ statusCode }) => ({ statusCode }),
      },
    },
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => randomUUID(),
    trustProxy: [...limits.trustedProxies],
    bodyLimit: limits.bodyLimit,
    requestTimeout: 0,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    frameworkErrors: (error, request, reply) => {
      head(request, reply);
      sendProblem(error, request, reply);
      note(request, reply);
    },
    clientErrorHandler: (error, socket) => refuseMessage(error, socket, app.log),
    routerOptions: { maxParamLength: 5000, ignoreTrailingSlash: false },
    http: {
      headersTimeout: limits.requestTimeout,
      connectionsCheckingInterval: 1000,
      maxHeaderSize: 16_384,
    },
    exposeHeadRoutes: true,
  });
  app.setValidatorCompiler(({ schema, httpPart }) => {
    const ajv = httpPart === 'body' ? ajvs.body : ajvs.address;
    return ajv.compile(schema as object) as never;
  });
  app.setErrorHandler(sendProblem);
  app.setNotFoundHandler((request, reply) => {
    const error = serverErrors.ROUTE_NOT_FOUND(request.method, request.url.slice(0, 200));
    return sendProblem(error, request, reply);
  });
  app.removeContentTypeParser('text/plain');
  app.addContentTypeParser('application/octet-stream', (_request, payload, done) => done(null, payload));
  const { tracer } = site.varve;
  if (tracer) traceRequests(app, tracer, site);
  let closing = false;
  app.addHook('preClose', async () => {
    closing = true;
  });
  app.addHook('onRequest', async (request, reply) => {
    head(request, reply);
    // A connection that was kept open brings one more request; the client asks another server, or this one when it is back.
    if (closing) throw serverErrors.SERVER_CLOSING();
    refuseForeignOrigins(request, publicOrigin);
    limitBodyTime(request.raw, request.routeOptions.config.upload === true, limits.requestTimeout);
  });
  app.addHook('preValidation', async (request) => {
    // Fields that may all be left out need no body.
    if (request.body === undefined && request.routeOptions.schema?.body) request.body = {};
    checkRequestText(request);
  });
  app.addHook('onResponse', async (request, reply) => note(request, reply));
  const metrics = measureRequests(app, site);
  addDocsRoutes(app, packagePath('dist/docs'));
  addSystemRoutes(app, { site, authenticate, metrics });
  const { store } = site.varve;
  addLoginRoutes(app, {
    store,
    oidc,
    cookies,
    proveToken,
    publicUrl: () => publicOrigin ?? options.listenUrl(),
  });
  addWebPage(app);
  addRoutes(app, { site, authenticate, uploadLimit: limits.uploadLimit });
  return app;
}

/** What every answer carries. */
function head(request: FastifyRequest, reply: FastifyReply): void {
  reply.headers(securityHeaders);
  reply.header('x-request-id', request.id);
  if (request.url.startsWith(apiPrefix)) reply.header('cache-control', 'no-store');
}

/** The line of the log. */
function note(request: FastifyRequest, reply: FastifyReply): void {
  request.log.info({ req: request, res: reply, ms: Math.round(reply.elapsedTime) }, 'answered');
}
