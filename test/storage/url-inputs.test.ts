import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import fs from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { VarveError } from '../../src/core/errors.ts';
import { UrlInputs, type UrlInputsOptions } from '../../src/storage/local/url-inputs.ts';
import { temporaryFolder } from './temporary-folder.ts';

type Handler = (request: http.IncomingMessage, response: http.ServerResponse) => void;

async function setUp(t: TestContext, handler: Handler, options: Partial<UrlInputsOptions> = {}) {
  const folder = temporaryFolder(t);
  const requests: http.IncomingMessage[] = [];
  const server = http.createServer((request, response) => {
    requests.push(request);
    handler(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const inputs = new UrlInputs({ folder: `${folder}/urls`, ...options });
  return { folder, requests, inputs, origin: `http://127.0.0.1:${port}`, port };
}

function leftovers(folder: string): readonly string[] {
  if (!fs.existsSync(`${folder}/urls`)) return [];
  return fs.readdirSync(`${folder}/urls`).filter((name) => name.startsWith('part-'));
}

test('a URL is downloaded, and then only asked whether it changed', async (t) => {
  let body = 'first';
  const { inputs, origin, requests } = await setUp(t, (request, response) => {
    const etag = `"${hash('sha256', body, 'hex').slice(0, 8)}"`;
    response.setHeader('etag', etag);
    if (request.headers['if-none-match'] === etag) response.writeHead(304).end();
    else response.end(body);
  });
  const first = await inputs.get(`${origin}/data#part`);
  assert.deepEqual(
    { ...first, path: '' },
    { path: '', digest: hash('sha256', 'first', 'hex'), sizeBytes: 5 },
  );
  assert.equal(fs.readFileSync(first.path, 'utf8'), 'first');
  assert.equal(fs.statSync(first.path).mode & 0o222, 0);
  assert.deepEqual(await inputs.get(`${origin}/data`), first);
  assert.equal(requests[1]?.headers['if-none-match'], requests[1] && '"a7937b64"');
  body = 'second';
  const second = await inputs.get(`${origin}/data`);
  assert.equal(fs.readFileSync(second.path, 'utf8'), 'second');
  assert.equal(fs.readFileSync(first.path, 'utf8'), 'first');
});

test('a date serves where there is no ETag, and nothing where there is neither', async (t) => {
  const { inputs, origin, requests } = await setUp(t, (request, response) => {
    if (request.url === '/dated') response.setHeader('last-modified', 'Mon, 01 Jan 2024 00:00:00 GMT');
    if (request.headers['if-modified-since']) response.writeHead(304).end();
    else response.end('x');
  });
  for (const path of ['/dated', '/dated', '/plain', '/plain']) await inputs.get(`${origin}${path}`);
  assert.deepEqual(
    requests.map((request) => request.headers['if-modified-since']),
    [undefined, 'Mon, 01 Jan 2024 00:00:00 GMT', undefined, undefined],
  );
});

test('a download that was removed or cut short on disk is fetched again', async (t) => {
  const { inputs, origin, requests } = await setUp(t, (request, response) => {
    response.setHeader('etag', '"e"');
    if (request.headers['if-none-match']) response.writeHead(304).end();
    else response.end('content');
  });
  const { path } = await inputs.get(origin);
  fs.chmodSync(path, 0o644);
  fs.truncateSync(path, 2);
  assert.equal(fs.readFileSync((await inputs.get(origin)).path, 'utf8'), 'content');
  fs.unlinkSync(path);
  assert.equal(fs.readFileSync((await inputs.get(origin)).path, 'utf8'), 'content');
  assert.equal(requests.length, 3);
});

test('callers at the same time share one download', async (t) => {
  const { inputs, origin, requests } = await setUp(t, (_, response) => void response.end('x'));
  const [first, second] = await Promise.all([inputs.get(origin), inputs.get(origin)]);
  assert.deepEqual(first, second);
  assert.equal(requests.length, 1);
});

test('every address on the way must be allowed', async (t) => {
  const handler: Handler = (request, response) => {
    if (request.url === '/away') response.writeHead(302, { location: 'http://169.254.169.254/secret' }).end();
    else if (request.url === '/file') response.writeHead(302, { location: 'file:///etc/passwd' }).end();
    else if (request.url === '/round') response.writeHead(301, { location: '/round' }).end();
    else if (request.url === '/near') response.writeHead(307, { location: '/data' }).end();
    else response.end('data');
  };
  const allow = (url: URL) =>
    url.hostname === '127.0.0.1' ? undefined : `${url.hostname} is not on the list`;
  const { inputs, origin, folder } = await setUp(t, handler, { allow });
  assert.equal((await inputs.get(`${origin}/near`)).sizeBytes, 4);
  await assert.rejects(inputs.get(`${origin}/away`), {
    code: 'INPUT_URL_DENIED',
    message: /169.254.169.254/,
  });
  await assert.rejects(inputs.get(`${origin}/file`), { code: 'INPUT_URL_INVALID' });
  await assert.rejects(inputs.get(`${origin}/round`), {
    code: 'INPUT_URL_UNAVAILABLE',
    message: /10 redirects/,
  });
  await assert.rejects(inputs.get('ftp://u:secret@x/y'), (error: VarveError) => {
    assert.equal(error.code, 'INPUT_URL_INVALID');
    assert.doesNotMatch(error.message, /secret/);
    return true;
  });
  await assert.rejects(inputs.get('no url'), { code: 'INPUT_URL_INVALID' });
  assert.deepEqual(leftovers(folder), []);
});

test('credentials go to their own server only, and into no message', async (t) => {
  const other = await setUp(t, (_, response) => void response.end('x'));
  const { inputs, requests, port } = await setUp(t, (request, response) => {
    if (request.url === '/away') response.writeHead(302, { location: other.origin }).end();
    else response.writeHead(404).end();
  });
  await inputs.get(`http://me:s%40cret@127.0.0.1:${port}/away`);
  assert.equal(requests[0]?.headers.authorization, `Basic ${Buffer.from('me:s@cret').toString('base64')}`);
  assert.equal(other.requests[0]?.headers.authorization, undefined);
  await assert.rejects(inputs.get(`http://me:s%40cret@127.0.0.1:${port}/x`), (error: VarveError) => {
    assert.equal(error.code, 'INPUT_URL_MISSING');
    assert.doesNotMatch(error.message, /cret/);
    return true;
  });
});

test('too much, too slow, broken off, refused and failing servers have their own errors and leave nothing', async (t) => {
  const handler: Handler = (request, response) => {
    if (request.url === '/announced') response.writeHead(200, { 'content-length': 5000 }).write('x');
    else if (request.url === '/endless') {
      response.writeHead(200);
      for (let index = 0; index < 20; index += 1) response.write('x'.repeat(100));
    } else if (request.url === '/stalls') response.writeHead(200).write('x');
    else if (request.url === '/silent') return;
    else if (request.url === '/breaks') {
      response.writeHead(200, { 'content-length': 500 }).write('x');
      setTimeout(() => response.destroy(), 20);
    } else response.writeHead(Number(request.url?.slice(1))).end();
  };
  const { inputs, origin, folder } = await setUp(t, handler, { maxBytes: 1000, idleTimeoutMs: 150 });
  const outcomes: Readonly<Record<string, string>> = {
    '/announced': 'INPUT_URL_TOO_LARGE',
    '/endless': 'INPUT_URL_TOO_LARGE',
    '/stalls': 'INPUT_URL_TIMEOUT',
    '/silent': 'INPUT_URL_TIMEOUT',
    '/breaks': 'INPUT_URL_UNAVAILABLE',
    '/404': 'INPUT_URL_MISSING',
    '/403': 'INPUT_URL_MISSING',
    '/429': 'INPUT_URL_UNAVAILABLE',
    '/503': 'INPUT_URL_UNAVAILABLE',
    '/304': 'INPUT_URL_UNAVAILABLE',
  };
  for (const [path, code] of Object.entries(outcomes))
    await assert.rejects(inputs.get(`${origin}${path}`), { code }, path);
  await assert.rejects(inputs.get('http://127.0.0.1:1/'), {
    code: 'INPUT_URL_UNAVAILABLE',
    message: /ECONNREFUSED|bad port/,
  });
  assert.deepEqual(leftovers(folder), []);
});

test('the whole download has a time limit however busy the server is', async (t) => {
  const drip: Handler = (_, response) => {
    const timer = setInterval(() => response.write('x'), 20);
    response.on('close', () => clearInterval(timer));
  };
  const { inputs, origin, folder } = await setUp(t, drip, { timeoutMs: 200 });
  await assert.rejects(inputs.get(origin), { code: 'INPUT_URL_TIMEOUT', message: /within 200 ms/ });
  assert.deepEqual(leftovers(folder), []);
});

test('a caller can cancel', async (t) => {
  const { inputs, origin, folder } = await setUp(t, (_, response) => void response.write('x'));
  const controller = new AbortController();
  const wanted = inputs.get(origin, controller.signal);
  setTimeout(() => controller.abort(new VarveError('cancelled', 'X', 'stop')), 50);
  await assert.rejects(wanted, { code: 'X' });
  await assert.rejects(inputs.get(origin, controller.signal), { code: 'X' });
  assert.deepEqual(leftovers(folder), []);
});

test('what nobody asked for is pruned', async (t) => {
  const { inputs, origin, folder } = await setUp(t, (request, response) => void response.end(request.url));
  const old = await inputs.get(`${origin}/old`);
  const kept = await inputs.get(`${origin}/kept`);
  const past = new Date(Date.now() - 10_000);
  const notes = fs.globSync(`${folder}/urls/notes/*/*`);
  for (const note of notes)
    if (fs.readFileSync(note, 'utf8').includes(old.digest)) fs.utimesSync(note, past, past);
  assert.equal(await inputs.prune(Date.now() - 5000), 0);
  await new Promise((resolve) => setTimeout(resolve, 60));
  // The clock that stamps files lags a little behind.
  const since = Date.now() - 20;
  const again = await inputs.get(`${origin}/kept`);
  assert.equal(again.path, kept.path);
  assert.equal(await inputs.prune(since), 1);
  assert.ok(!fs.existsSync(old.path) && fs.existsSync(kept.path));
});
