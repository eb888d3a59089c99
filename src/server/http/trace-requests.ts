// A span for every request that is answered, in the trace of its caller if that sent a `traceparent`. What a request submits is
// a trace of its own, to which its span links.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Span, SpanContext } from '../../tracing/span.ts';
import { readTraceparent, runContext } from '../../tracing/trace-context.ts';
import { preciseNow, type Tracer } from '../../tracing/tracer.ts';
import type { Site } from '../caller.ts';

interface Traced {
  readonly context: SpanContext;
  readonly parentSpanId: string | undefined;
  readonly startedAt: number;
  links: SpanContext[];
  run: number | undefined;
}

/** Asked every few seconds by machines: they say nothing about anybody's work. */
const untold: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/metrics']);

export function traceRequests(app: FastifyInstance, tracer: Tracer, { varve }: Site): void {
  const traced = new WeakMap<FastifyRequest, Traced>();
  app.addHook('onRequest', (request, _reply, done) => {
    const parent = readTraceparent(request.headers.traceparent);
    const route = request.routeOptions.url;
    const context = route !== undefined && untold.has(route) ? undefined : tracer.begin(parent);
    if (!context) return done();
    const parentSpanId = parent?.spanId;
    const run = numberOf((request.params as { run?: unknown } | undefined)?.run);
    traced.set(request, { context, parentSpanId, startedAt: preciseNow(), links: [], run });
    done();
  });
  // Once the body is there: what arrives piece by piece arrives outside of any span.
  app.addHook('preHandler', (request, _reply, done) => {
    const one = traced.get(request);
    if (one) tracer.within(one.context, done);
    else done();
  });
  app.addHook('preSerialization', async (request, reply, payload) => {
    const one = traced.get(request);
    const run =
      one && reply.statusCode === 201 ? numberOf((payload as { run?: unknown } | null)?.run) : undefined;
    if (one && run !== undefined) {
      one.run = run;
      const [row] = await varve.store.view.runs([run]);
      if (row) one.links = [runContext(row)];
    }
    return payload;
  });
  app.addHook('onResponse', async (request, reply) => {
    const one = traced.get(request);
    if (one) tracer.add(spanOf(request, reply.statusCode, one));
  });
}

function spanOf(request: FastifyRequest, status: number, traced: Traced): Span {
  const route = request.routeOptions.url;
  return {
    ...traced.context,
    parentSpanId: traced.parentSpanId,
    name: route === undefined ? request.method : `${request.method} ${route}`,
    kind: 'server',
    startedAt: traced.startedAt,
    endedAt: preciseNow(),
    attributes: {
      'http.request.method': request.method,
      'http.route': route,
      'http.response.status_code': status,
      'url.path': request.url.split('?', 1)[0]?.slice(0, 500),
      'client.address': request.ip,
      'varve.request': request.id,
      'varve.run': traced.run,
    },
    error: status >= 500 ? `answered with ${status}` : undefined,
    links: traced.links,
  };
}

function numberOf(value: unknown): number | undefined {
  const number = typeof value === 'string' && value !== '' ? Number(value) : value;
  return Number.isSafeInteger(number) ? (number as number) : undefined;
}
