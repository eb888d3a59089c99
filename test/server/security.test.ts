// Attacks that a server must survive, each over a real connection.
import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { unpackTar } from '../../src/cli/unpack-tar.ts';
import { localApi } from '../../src/server/local-api.ts';
import type { ProblemDetails } from '../../src/server/problem-details.ts';
import { shell, startTestServer, type TestServer } from './test-server.ts';

const echo = { workflow: { name: 'x', actions: [shell('a', 'echo a')] } };

/** A user who came over the network, not the user of the machine. */
async function stranger(server: TestServer): Promise<Record<string, string>> {
  const api = localApi(server.varve);
  await api.putUser({ user: 'eve', role: 'submitter' });
  const { secret } = await api.addToken({ user: 'eve' });
  await new Promise((resolve) => setTimeout(resolve, 1100));
  return { authorization: `Bearer ${secret}` };
}

/** Sends bytes as they are and returns what comes back until the connection ends. */
async function raw(server: TestServer, text: string): Promise<string> {
  const { hostname, port } = new URL(server.url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(text));
    let answer = '';
    socket.on('data', (data) => {
      answer += data;
    });
    socket.on('close', () => resolve(answer));
    socket.on('error', reject);
  });
}

test('downloads cannot leave the dataset, by path or by link', async (t) => {
  const server = await startTestServer(t);
  const id = await server.run([
    shell('a', 'cd "$VARVE_OUTPUT"; mkdir d; echo in > d/in.txt; ln -s d/in.txt inside', {
      outputs: { d: 'd', inside: 'inside' },
    }),
  ]);
  const run = (await server.get(`runs/${id}`)).json;
  assert.equal(run.state, 'SUCCEEDED', JSON.stringify(run.failures));
  const { dataset, path } = run.outputs[0];
  for (const attack of [
    '..%2f..%2fvarve-storage.json',
    '%2e%2e/%2e%2e/varve-storage.json',
    'd/..%2f..%2f..%2fvarve-storage.json',
    '%2fetc%2fpasswd',
    'd%00.txt',
    '.',
    'd',
    '..%5c..%5cvarve.db',
  ]) {
    const answer = await server.get(`datasets/${dataset}/files/${attack}`);
    assert.ok([400, 404].includes(answer.status), `${attack}: ${answer.status}`);
  }
  // Somebody who can write to the disk puts a link that leads out: it is not followed.
  chmodSync(path, 0o755);
  symlinkSync('/etc/passwd', join(path, 'outside'));
  assert.equal((await server.get(`datasets/${dataset}/files/outside`)).status, 404);
});

test('outputs that are links to files of the machine are not published', async (t) => {
  const server = await startTestServer(t);
  const id = await server.run([
    shell('a', 'ln -s /etc/passwd "$VARVE_OUTPUT/stolen"', { outputs: { stolen: 'stolen' } }),
  ]);
  const run = (await server.get(`runs/${id}`)).json;
  assert.equal(run.state, 'FAILED');
  assert.match(run.failures[0].message, /\/etc\/passwd/);
  assert.deepEqual(run.outputs, []);
});

test('uploads are placed only below the folder of their submission', async (t) => {
  const server = await startTestServer(t, { roles: ['api'] });
  const uploaded = await fetch(`${server.url}/api/v1/uploads`, {
    method: 'POST',
    body: 'x',
    headers: { 'content-type': 'application/octet-stream' },
  });
  const { upload } = (await uploaded.json()) as { upload: string };
  for (const path of ['/../../evil', '/a/../../evil', 'relative', '/', '/a//b', '/a/./b', '/a/', '']) {
    const answer = await server.post('runs', { ...echo, files: { [path]: { upload } } });
    assert.equal(answer.status, 422, path);
    assert.equal(answer.json.code, 'UPLOAD_PATH', path);
  }
  const both = await server.post('runs', { ...echo, files: { '/a': { upload }, '/a/b': { upload } } });
  assert.equal(both.status, 422);
  const nul = await server.post('runs', { ...echo, files: { '/a\0b': { upload } } });
  assert.equal(nul.status, 400);
});

test('archives that lead out of their folder are not unpacked', async (t) => {
  const server = await startTestServer(t, { roles: ['api'] });
  const header = (path: string, type: string, target = ''): Buffer => {
    const block = Buffer.alloc(512);
    block.write(path, 0);
    block.write('0000644\0', 100);
    block.write('00000000000\0', 124);
    block.write('        ', 148);
    block.write(type, 156);
    block.write(target, 157);
    const sum = block.reduce((total, byte) => total + byte, 0);
    block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
    return block;
  };
  const archive = async function* (...blocks: Buffer[]) {
    yield Buffer.concat([...blocks, Buffer.alloc(1024)]);
  };
  const folder = join(server.home, 'unpacked');
  for (const blocks of [
    [header('../evil', '0')],
    [header('/etc/evil', '0')],
    [header('a/../../evil', '0')],
    [header('link', '2', '/etc'), header('link/evil', '0')],
    [header('link', '2', '../..')],
    [header('device', '3')],
    [Buffer.alloc(512, 1)],
  ]) {
    await assert.rejects(
      unpackTar(archive(...blocks), folder),
      ({ code }: { code: string }) => code === 'ARCHIVE_DAMAGED',
    );
  }
  await assert.rejects(
    unpackTar((async function* () {})(), folder),
    ({ code }: { code: string }) => code === 'ARCHIVE_DAMAGED',
  );
});

test('submitted workflows read files of the machine only from folders that are allowed', async (t) => {
  const server = await startTestServer(t, { roles: ['api'] });
  const allowed = join(server.home, 'allowed');
  mkdirSync(allowed);
  writeFileSync(join(allowed, 'ok.txt'), 'fine');
  symlinkSync('/etc/passwd', join(allowed, 'trick'));
  const other = await startTestServer(t, { roles: ['api'], set: [`server.inputFolders=${allowed}`] });
  const eve = await stranger(other);
  const reading = (file: string) => ({
    workflow: { name: 'x', actions: [shell('a', 'cat', { stdin: { file } })] },
  });
  const read = (file: string) => other.post('plans', reading(file), eve);
  assert.equal((await read(join(allowed, 'ok.txt'))).status, 200);
  const hidden = await read('/etc/passwd');
  const absent = await read('/etc/there-is-no-such-file');
  assert.equal(hidden.status, 422);
  const plain = (text: string) => text.replace(/\/etc\/[\w-]+/g, 'FILE');
  assert.deepEqual(
    hidden.json.problems.map((one: { message: string }) => plain(one.message)),
    absent.json.problems.map((one: { message: string }) => plain(one.message)),
    'whether a file exists is not told',
  );
  assert.equal((await read(join(allowed, 'trick'))).status, 422);
  assert.equal((await read(join(allowed, '../varve.db'))).status, 422);
  assert.equal((await read('../../../../../../etc/passwd')).status, 422);
});

test('inputs by address are fetched only from hosts that are allowed, redirects included', async (t) => {
  const asked: string[] = [];
  const inside = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.end('metadata');
  });
  await new Promise<void>((resolve) => inside.listen(0, '127.0.0.1', resolve));
  const secret = `127.0.0.1:${(inside.address() as AddressInfo).port}`;
  const outside = createServer((_request, response) => {
    response.writeHead(302, { location: `http://${secret}/redirected` }).end();
  });
  await new Promise<void>((resolve) => outside.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(outside.address() as AddressInfo).port}`;
  t.after(async () => {
    inside.close();
    outside.close();
  });
  const server = await startTestServer(t, { roles: ['api'], set: [`server.inputHosts=${host}`] });
  const eve = await stranger(server);
  const fetching = (url: string) => ({
    workflow: { name: 'x', actions: [shell('a', 'cat', { stdin: { url } })] },
  });
  for (const url of [
    `http://${secret}/direct`,
    `http://${host}/hop`,
    'http://169.254.169.254/latest',
    'file:///etc/passwd',
  ]) {
    const answer = await server.post('plans', fetching(url), eve);
    assert.equal(answer.status, 422, `${url}: ${answer.text}`);
  }
  assert.deepEqual(asked, []);
});

test('YAML bombs, deep and huge documents are refused quickly', async (t) => {
  const server = await startTestServer(t, { roles: ['api'], set: ['server.bodyLimit=2MB'] });
  const bomb = ['a: &a [x,x,x,x,x,x,x,x,x]'];
  for (let i = 1; i < 12; i += 1)
    bomb.push(
      `${String.fromCharCode(97 + i)}: &${String.fromCharCode(97 + i)} [${Array(9).fill(`*${String.fromCharCode(96 + i)}`)}]`,
    );
  const began = performance.now();
  const answers = [
    await server.post('runs', { workflow: bomb.join('\n') }),
    await server.post('runs', { workflow: `${'['.repeat(100_000)}${']'.repeat(100_000)}` }),
    await server.post('runs', { workflow: `name: x\nactions: ${'[{a: '.repeat(20_000)}` }),
    await server.call('POST', 'runs', `{"workflow":${'['.repeat(50_000)}${']'.repeat(50_000)}}`),
    await server.call(
      'POST',
      'runs',
      `{"workflow":{"name":"x","actions":[${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}]}}`,
    ),
    await server.call('POST', 'runs', '{"workflow":{"__proto__":{"polluted":true}}}'),
  ];
  for (const [i, answer] of answers.entries())
    assert.ok([400, 422].includes(answer.status), `${i}: ${answer.text.slice(0, 200)}`);
  assert.equal(({} as { polluted?: boolean }).polluted, undefined);
  assert.ok(performance.now() - began < 20_000);
  const huge = await server.call('POST', 'runs', JSON.stringify({ workflow: 'x'.repeat(3_000_000) }));
  assert.equal(huge.status, 413);
  assert.equal(huge.json.code, 'BODY_TOO_LARGE');
});

test('bodies that do not arrive and headers that never end are cut off', async (t) => {
  const server = await startTestServer(t, { roles: ['api'], set: ['server.requestTimeout=1s'] });
  const began = performance.now();
  const head =
    'POST /api/v1/runs HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n{"wor';
  const [slowBody, slowHead] = await Promise.all([
    raw(server, head),
    raw(server, 'GET /api/v1/runs HTTP/1.1\r\nhost: local'),
  ]);
  assert.ok(performance.now() - began < 15_000);
  assert.ok(!slowBody.startsWith('HTTP/1.1 2') && !slowHead.startsWith('HTTP/1.1 2'));
  const long = await raw(
    server,
    `GET /healthz HTTP/1.1\r\nhost: localhost\r\nx: ${'y'.repeat(40_000)}\r\nconnection: close\r\n\r\n`,
  );
  assert.match(long, /^HTTP\/1\.1 431/);
  assert.equal((await server.get('/healthz')).status, 200);
});

test('smuggled and split headers have no effect', async (t) => {
  const server = await startTestServer(t, { roles: ['api'] });
  const both = await raw(
    server,
    'POST /api/v1/runs HTTP/1.1\r\nhost: localhost\r\ncontent-length: 4\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n0\r\n\r\nGET /x HTTP/1.1\r\n\r\n',
  );
  assert.match(both, /^HTTP\/1\.1 400/);
  const split = await server.get('runs?search=a%0d%0aset-cookie:%20x=1');
  assert.equal(split.headers.get('set-cookie'), null);
  const id = 'abcd\u00e9';
  const named = await server.get(
    `datasets/0000000000000000/files/${encodeURIComponent(`${id}\r\nset-cookie: x=1`)}`,
  );
  assert.equal(named.status, 404);
  assert.equal(named.headers.get('set-cookie'), null);
});

test('what is no address or no HTTP is refused like everything else: problem details, an id, a line in the log', async (t) => {
  const server = await startTestServer(t, { roles: ['api'] });
  const send = async (text: string): Promise<{ status: number; head: string; problem: ProblemDetails }> => {
    const [head = '', body = ''] = (await raw(server, text)).split('\r\n\r\n');
    return { status: Number(head.split(' ')[1]), head, problem: JSON.parse(body) as ProblemDetails };
  };
  const rest = 'host: localhost\r\nconnection: close\r\n';
  for (const [status, text] of [
    [400, `GET /api/v1/runs/%ff HTTP/1.1\r\n${rest}\r\n`],
    [400, `GET /%zz HTTP/1.1\r\n${rest}\r\n`],
    [400, 'this is no HTTP\r\n\r\n'],
    [400, `GET /api/v1/runs HTTP/1.1\r\n${rest}content-length: 4\r\ntransfer-encoding: chunked\r\n\r\n`],
    [431, `GET / HTTP/1.1\r\n${rest}x: ${'y'.repeat(40_000)}\r\n\r\n`],
    [400, `GET /api/v1/datasets/${'a'.repeat(6000)} HTTP/1.1\r\n${rest}\r\n`],
  ] as const) {
    const answer = await send(text);
    const shown = `${text.slice(0, 60)}: ${answer.head}`;
    assert.equal(answer.status, status, shown);
    assert.match(answer.head, /^content-type: application\/problem\+json/im, shown);
    assert.match(answer.head, /^x-content-type-options: nosniff/im, shown);
    assert.equal(answer.problem.code, 'REQUEST_INVALID', shown);
    assert.equal(answer.problem.status, status, shown);
    assert.ok(server.log.join('').includes(`"reqId":"${answer.problem.requestId}"`), shown);
  }
  assert.equal((await server.post('runs', {})).json.detail, 'no workflow was sent');
});

test('a page elsewhere reaches nothing: foreign hosts and origins are refused', async (t) => {
  const server = await startTestServer(t, { roles: ['api'] });
  const rebound = await raw(
    server,
    'GET /api/v1/runs HTTP/1.1\r\nhost: evil.example\r\nconnection: close\r\n\r\n',
  );
  assert.match(rebound, /^HTTP\/1\.1 403/);
  assert.match(rebound, /FOREIGN_HOST/);
  const forged = await server.post('runs', echo, { origin: 'https://evil.example' });
  assert.equal(forged.json.code, 'FOREIGN_ORIGIN');
  const simple = await server.call('POST', 'runs', 'workflow=x', { 'content-type': 'text/plain' });
  assert.equal(simple.status, 415);
  const { headers } = await server.get('runs');
  assert.equal(headers.get('access-control-allow-origin'), null);
  assert.equal(headers.get('x-content-type-options'), 'nosniff');
  assert.match(headers.get('content-security-policy') ?? '', /default-src 'none'; script-src 'self'/);
  assert.match(headers.get('content-security-policy') ?? '', /frame-ancestors 'none'/);
});

test('what actions wrote never acts as a page of the site', async (t) => {
  const server = await startTestServer(t);
  const id = await server.run([
    shell('a', 'echo "<script>alert(1)</script>"; echo "<svg/>" > "$VARVE_OUTPUT/x.svg"', {
      stdout: 'page.html',
      outputs: { svg: 'x.svg' },
    }),
  ]);
  const { dataset } = (await server.get(`runs/${id}`)).json.outputs[0];
  for (const file of ['page.html', 'x.svg']) {
    const { headers, status } = await server.get(`datasets/${dataset}/files/${file}`);
    assert.equal(status, 200);
    assert.equal(headers.get('content-type'), 'application/octet-stream');
    assert.match(headers.get('content-disposition') ?? '', /^attachment/);
    assert.match(headers.get('content-security-policy') ?? '', /^sandbox/);
  }
});

test('nobody writes lines of their own into the log, and secrets stay out of it', async (t) => {
  const server = await startTestServer(t, { roles: ['api'] });
  const eve = await stranger(server);
  const forged = '\n{"level":30,"msg":"admin logged in"}';
  await server.get(`runs?search=${encodeURIComponent(forged)}`, {
    ...eve,
    'user-agent': 'x',
    referer: 'http://a/',
  });
  await server.post('runs', { workflow: { name: forged, actions: [shell('a', forged)] } }, eve);
  await server.get(`/${encodeURIComponent(forged)}`);
  const lines = server.log.join('').trim().split('\n');
  for (const line of lines) {
    const { msg } = JSON.parse(line) as { msg: string };
    assert.notEqual(msg, 'admin logged in');
  }
  assert.ok(!server.log.join('').includes(eve.authorization?.slice(7) ?? 'none'));
});

test('who asks too often, or guesses tokens, is slowed down', async (t) => {
  const server = await startTestServer(t, { roles: ['api'], set: ['server.rateLimit=5'] });
  const eve = await stranger(server);
  const answers = await Promise.all(Array.from({ length: 30 }, () => server.get('session', eve)));
  const statuses = answers.map(({ status }) => status);
  assert.ok(statuses.includes(429) && statuses.includes(200), statuses.join(' '));
  assert.equal(answers.find(({ status }) => status === 429)?.json.code, 'RATE_LIMITED');
  const guesses = await Promise.all(
    Array.from({ length: 30 }, (_, i) => server.get('session', { authorization: `Bearer guess-${i}` })),
  );
  assert.ok(guesses.some(({ status }) => status === 429));
});
