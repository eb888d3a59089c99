// What is not part of the API itself: health, metrics, and the description of the API.
import { readFile } from 'node:fs/promises';
import type { FastifyInstance } from 'fastify';
import { openApiDocument } from '../../api/openapi.ts';
import { assetPath } from '../../assets.ts';
import { requireSeesAll, type Site } from '../caller.ts';
import type { Authenticate } from './authenticate.ts';
import type { Metrics } from './metrics.ts';

/** The page on which people try the API out. */
const apiPage: Readonly<Record<string, { readonly file: string; readonly type: string }>> = {
  '/api': { file: 'server/http/api-page.html', type: 'text/html; charset=utf-8' },
  '/api/page.js': { file: 'server/http/api-page.client.js', type: 'text/javascript; charset=utf-8' },
  '/api/page.css': { file: 'server/http/api-page.css', type: 'text/css; charset=utf-8' },
};

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
    requireSeesAll({ access: await authenticate(request) });
    return reply.type('text/plain; version=0.0.4; charset=utf-8').send(await metrics.text());
  });
  for (const [address, { file, type }] of Object.entries(apiPage)) {
    app.get(address, async (_request, reply) => reply.type(type).send(await readFile(assetPath(file))));
  }
  app.get('/api/v1/openapi.json', async (_request, reply) => reply.type('application/json').send(document));
}
