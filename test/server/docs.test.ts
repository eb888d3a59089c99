import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import fastify from 'fastify';
import { buildSite } from '../../scripts/site/build-site.ts';
import { VarveError } from '../../src/core/errors.ts';
import { addDocsRoutes } from '../../src/server/http/docs-routes.ts';

const base = mkdtempSync(join(tmpdir(), 'varve-docs-'));
after(() => rmSync(base, { recursive: true, force: true }));

function server(folder: string) {
  const app = fastify();
  app.setErrorHandler((error, _request, reply) =>
    reply.code(404).send({ code: error instanceof VarveError ? error.code : String(error) }),
  );
  addDocsRoutes(app, folder);
  return (url: string) => app.inject({ method: 'GET', url });
}

test('the pages are there, with the types that browsers want', async () => {
  buildSite(join(base, 'docs'));
  writeFileSync(join(base, 'secret'), 'no');
  const get = server(join(base, 'docs'));
  assert.equal((await get('/docs')).headers.location, '/docs/');
  for (const [url, type, text] of [
    ['/docs/', 'text/html; charset=utf-8', 'Your first workflow'],
    ['/docs/guide/scatter.html', 'text/html; charset=utf-8', 'scatter'],
    ['/docs/adr/', 'text/html; charset=utf-8', 'Decisions'],
    ['/docs/site.css', 'text/css; charset=utf-8', '--paper'],
    ['/docs/search-index.js', 'text/javascript; charset=utf-8', 'searchIndex'],
    ['/docs/pictures/parts.svg', 'image/svg+xml', '<svg'],
    ['/docs/examples/08-typescript-api/analyse.ts', 'text/plain; charset=utf-8', 'import'],
  ] as const) {
    const answer = await get(url);
    assert.equal(answer.headers['content-type'], type, url);
    assert.ok(answer.body.includes(text), url);
  }
});

test('nothing outside the folder is shown, and what is not there is not found', async () => {
  const get = server(join(base, 'docs'));
  for (const url of [
    '/docs/../secret',
    '/docs/..%2fsecret',
    '/docs/guide',
    '/docs/nothing.html',
    '/docs/%00',
    `/docs/${'a'.repeat(90)}/${'b'.repeat(400)}`,
  ]) {
    const answer = await get(url);
    assert.equal(answer.statusCode, 404, url);
    assert.ok(!answer.body.includes('"no"'), url);
  }
});

test('a clone without pages says how to make them', async () => {
  const answer = await server(join(base, 'absent'))('/docs/');
  assert.deepEqual(answer.json(), { code: 'DOCS_NOT_BUILT' });
});
