// How the page is served: small, kept by browsers as long as it does not change, and with a content policy that allows nothing foreign.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestServer } from '../server/test-server.ts';

const options = { timeout: 120_000 };
const mostBytes = 500_000;

test('every address of a page gives the page, and unknown ones a problem', options, async (t) => {
  const server = await startTestServer(t, { roles: ['api'] });
  for (const path of [
    '/',
    '/runs',
    '/runs/12',
    '/datasets/abc123',
    '/storage',
    '/settings',
    '/submit',
    '/compare',
  ]) {
    const answer = await server.get(path);
    assert.equal(answer.status, 200, path);
    assert.match(answer.text, /<div id="app"><\/div>/);
    assert.equal(answer.headers.get('cache-control'), 'no-cache');
    const policy = answer.headers.get('content-security-policy') ?? '';
    assert.match(policy, /default-src 'none'/);
    assert.doesNotMatch(policy, /unsafe|https?:|\*/);
  }
  for (const path of ['/assets/page.js', '/assets/..%2findex.html', '/nothing']) {
    assert.equal((await server.get(path)).status, 404, path);
  }
});

test('assets are named by their contents, kept for ever, and small', options, async (t) => {
  const server = await startTestServer(t, { roles: ['api'] });
  const { text } = await server.get('/');
  const assets = [...text.matchAll(/"(\/assets\/[^"]+)"/g)].map(([, path]) => path as string);
  assert.equal(assets.length, 4);
  assert.doesNotMatch(text, /https?:/);
  const wanted = new Set(assets);
  let bytes = 0;
  for (const path of wanted) {
    assert.match(path, /-[A-Z0-9]{8}\.(js|css|svg)$/);
    const response = await fetch(`${server.url}${path}`, { headers: { 'accept-encoding': 'gzip' } });
    assert.equal(response.headers.get('cache-control'), 'public, max-age=31536000, immutable');
    assert.equal(response.headers.get('content-encoding'), 'gzip');
    bytes += Number(response.headers.get('content-length'));
    const script = await response.text();
    // What is loaded later is part of the page as well.
    for (const [, name] of script.matchAll(/"(?:\.|\/assets)\/([\w.-]+-[A-Z0-9]{8}\.js)"/g))
      wanted.add(`/assets/${name}`);
  }
  assert.ok(wanted.size > assets.length, 'the editor and the charts come later');
  assert.ok(bytes < mostBytes, `${bytes} bytes`);
  const plain = await fetch(`${server.url}${assets[0]}`, { headers: { 'accept-encoding': 'identity' } });
  assert.equal(plain.headers.get('content-encoding'), null);
});

test('the licences of what the page is made of come with it', options, async (t) => {
  const server = await startTestServer(t, { roles: ['api'] });
  const { text } = await server.get('/licenses.txt');
  for (const name of ['preact', '@codemirror/view', 'uplot', '@dagrejs/dagre'])
    assert.ok(text.includes(`${name} `), name);
});
