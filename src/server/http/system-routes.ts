// What is not part of the API itself: health, metrics, and the description of the API.
import type { FastifyInstance } from 'fastify';
import { openApiDocument } from '../../api/openapi.ts';
import type { Site } from '../caller.ts';
import type { Authenticate } from './authenticate.ts';
import type { Metrics } from './metrics.ts';

export interface SystemRouteOptions {
  readonly site: Site;
  readonly authenticate: Authenticate;
  readonly metrics: Metrics;
}

export function addSystemRoutes(
  app: FastifyInstance,
  { site, authenticate, metrics }: SystemRouteOptions,
): void {
  const document = JSON.stringify(openApiDocument());
  app.get('/healthz', async () => ({ status: 'ok' }));
  app.get('/readyz', async (_request, reply) => {
    try {
      await site.varve.store.view.setting('ready');
      await site.varve.storage.usage();
      return { status: 'ready' };
    } catch {
      return reply.code(503).send({ status: 'not ready' });
    }
  });
  app.get('/metrics', async (request, reply) => {
    await authenticate(request);
    return reply.type('text/plain; version=0.0.4; charset=utf-8').send(await metrics.text());
  });
  app.get('/api/v1/openapi.json', async (_request, reply) => reply.type('application/json').send(document));
}
