// Users, tokens, roles and what tenants see of each other.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { localApi } from '../../src/server/local-api.ts';
import { serve } from '../../src/server/serve.ts';
import { eventually, shell, startTestServer, type TestServer } from './test-server.ts';

async function addUser(
  server: TestServer,
  user: string,
  role: 'viewer' | 'submitter' | 'admin',
  projects: string[] = [],
): Promise<Record<string, string>> {
  const api = localApi(server.varve);
  await api.putUser({ user, role, projects });
  const { secret } = await api.addToken({ user });
  return { authorization: `Bearer ${secret}` };
}

/** The server asks at most once a second whether there are users. */
const settle = () => new Promise((resolve) => setTimeout(resolve, 1100));

test('beyond the loopback interface a server without users refuses to start', async (t) => {
  const server = await startTestServer(t, { roles: ['api'] });
  const listen = { host: '0.0.0.0', port: 0 };
  await assert.rejects(
    serve({ varve: server.varve, listen, roles: ['api'], onProblem: () => {} }),
    ({ code }: { code: string }) => code === 'LISTEN_UNPROTECTED',
  );
});

test('as soon as there are users, everybody has to prove who they are', async (t) => {
  const server = await startTestServer(t, { roles: ['api'] });
  assert.equal((await server.get('session')).json.via, 'local');
  const anna = await addUser(server, 'anna', 'admin');
  await settle();
  const unknown = await server.get('session');
  assert.equal(unknown.status, 401);
  assert.equal(unknown.json.code, 'NOT_LOGGED_IN');
  assert.match(unknown.headers.get('www-authenticate') ?? '', /^Bearer/);
  for (const path of ['/metrics', 'runs', 'events', 'users'])
    assert.equal((await server.get(path)).status, 401, path);
  assert.equal((await server.get('/healthz')).status, 200);
  const known = await server.get('session', anna);
  assert.deepEqual([known.json.user, known.json.role, known.json.via], ['anna', 'admin', 'token']);
  assert.equal((await server.get('session', { authorization: 'Bearer nonsense' })).status, 401);
});

test('tokens are scoped, expire and are revoked; only their hashes are stored', async (t) => {
  const server = await startTestServer(t, { roles: ['api'] });
  const anna = await addUser(server, 'anna', 'admin');
  await settle();
  const narrow = await server.post('tokens', { role: 'viewer', name: 'screen' }, anna);
  assert.equal(narrow.status, 201);
  const screen = { authorization: `Bearer ${narrow.json.secret}` };
  assert.equal((await server.get('runs', screen)).status, 200);
  const refused = await server.post('runs', { workflow: { name: 'x', actions: [] } }, screen);
  assert.equal(refused.status, 403);
  assert.equal(refused.json.code, 'ROLE_DENIED');
  const wider = await server.post('tokens', { role: 'admin' }, screen);
  assert.equal(wider.json.role, 'viewer', 'a token makes no stronger token');

  const brief = await server.post('tokens', { forMs: 1 }, anna);
  await new Promise((resolve) => setTimeout(resolve, 5));
  assert.equal((await server.get('runs', { authorization: `Bearer ${brief.json.secret}` })).status, 401);

  assert.equal((await server.call('DELETE', `tokens/${narrow.json.token}`, undefined, anna)).status, 200);
  await settle();
  assert.equal((await server.get('runs', screen)).status, 401);
  assert.equal((await server.call('DELETE', `tokens/${narrow.json.token}`, undefined, anna)).status, 404);

  const listed = await server.get('tokens', anna);
  assert.ok(!listed.text.includes(narrow.json.secret));
  const dump = JSON.stringify(await server.varve.store.view.tokens());
  assert.ok(!dump.includes(narrow.json.secret));
});

test('a token makes no token that sees more, rules more or lives longer than itself', async (t) => {
  const server = await startTestServer(t, { roles: ['api'] });
  const anna = await addUser(server, 'anna', 'admin', ['north', 'south']);
  await settle();
  const hour = 3_600_000;
  const made = await server.post('tokens', { role: 'admin', project: 'north', forMs: hour }, anna);
  assert.equal(made.json.role, 'submitter', 'what is limited to a project does not rule the site');
  const north = { authorization: `Bearer ${made.json.secret}` };
  assert.deepEqual((await server.get('session', north)).json.projects, ['north']);
  for (const [method, path, body] of [
    ['PUT', 'users/eve', { role: 'admin' }],
    ['DELETE', 'users/anna', undefined],
    ['POST', 'workers/any/order', { order: 'pause' }],
    ['POST', 'storage/clean', {}],
  ] as const)
    assert.equal((await server.call(method, path, body, north)).json.code, 'ROLE_DENIED', path);
  const same = await server.post('tokens', { forMs: 1000 * hour }, north);
  assert.deepEqual([same.json.project, same.json.expiresAt], ['north', made.json.expiresAt]);
  assert.equal((await server.post('tokens', {}, north)).json.expiresAt, made.json.expiresAt);
  assert.ok((await server.post('tokens', { forMs: 1 }, north)).json.expiresAt < made.json.expiresAt);
  for (const project of ['south', '~anna'])
    assert.equal((await server.post('tokens', { project }, north)).json.code, 'PROJECT_DENIED', project);
});

test('roles: viewers look, submitters submit, administrators administrate', async (t) => {
  const server = await startTestServer(t, { roles: ['api'] });
  const [admin, submitter, viewer] = [
    await addUser(server, 'anna', 'admin'),
    await addUser(server, 'ben', 'submitter', ['lab']),
    await addUser(server, 'cleo', 'viewer', ['lab']),
  ];
  await settle();
  const body = { workflow: { name: 'x', actions: [shell('a', 'echo a')] } };
  assert.equal((await server.post('runs', body, viewer)).status, 403);
  const run = await server.post('runs', body, submitter);
  assert.equal(run.status, 201, run.text);
  assert.equal((await server.get(`runs/${run.json.run}`, viewer)).json.project, 'lab');
  assert.equal((await server.post(`runs/${run.json.run}/cancel`, {}, viewer)).status, 403);
  for (const headers of [viewer, submitter]) {
    assert.equal((await server.get('users', headers)).status, 403);
    assert.equal((await server.get('history/costs', headers)).status, 403);
    assert.equal((await server.post('storage/decisions', { free: 1, dryRun: false }, headers)).status, 403);
  }
  assert.equal((await server.post('tokens', { user: 'anna' }, submitter)).status, 403);
  assert.equal((await server.get('users', admin)).json.items.length, 3);
  const last = await server.call('PUT', 'users/anna', { role: 'viewer' }, admin);
  assert.equal(last.json.code, 'LAST_ADMIN');
  assert.equal((await server.call('DELETE', 'users/ben', undefined, admin)).status, 200);
  await settle();
  assert.equal((await server.get('runs', submitter)).status, 401, 'who is shut out is out at once');
});

test('two tenants: neither API, plan, label nor error reveals what the other has (I9)', async (t) => {
  const server = await startTestServer(t, { set: ['execution.leaseSeconds=2'] });
  const alpha = await addUser(server, 'alpha', 'submitter', ['north']);
  const beta = await addUser(server, 'beta', 'submitter', ['south']);
  const root = await addUser(server, 'root', 'admin');
  await settle();
  const flow = [
    shell('secret', 'echo classified; sleep 0.2', { stdout: 's.txt' }),
    shell('sum', 'cat "$VARVE_INPUT_SECRET/s.txt"', { stdout: 'r.txt', parentActions: ['secret'] }),
  ];
  const first = await server.run(flow, {}, { ...alpha, 'idempotency-key': 'same' });

  // The same work and the same key: beta's plan knows nothing, and everything is computed.
  const plan = await server.post('plans', { workflow: { name: 'flow', actions: flow } }, beta);
  assert.deepEqual(
    plan.json.items.map((one: { code: string }) => one.code),
    ['NEVER_COMPUTED', 'NEVER_COMPUTED'],
  );
  const second = await server.run(flow, {}, { ...beta, 'idempotency-key': 'same' });
  assert.notEqual(second, first);
  const own = (await server.get(`runs/${second}`, beta)).json;
  assert.deepEqual([own.actions.computed, own.actions.reused, own.savedMs], [2, 0, 0]);
  const third = await server.run(flow, {}, beta);
  const reused = (await server.get(`runs/${third}`, beta)).json;
  const ownDatasets = (await server.get('datasets', beta)).json.items;
  assert.equal(ownDatasets.length, 2);
  const computeMs = ownDatasets.reduce((sum: number, one: { computeMs: number }) => sum + one.computeMs, 0);
  assert.equal(reused.savedMs, computeMs, 'time saved is that of their own datasets');

  // What is not theirs is as absent as what never was.
  const actions = (await server.get(`runs/${first}/actions`, alpha)).json.items;
  const absent = async (path: string, never: string, method = 'GET') => {
    const [hidden, nothing] = [
      await server.call(method, path, method === 'GET' ? undefined : {}, beta),
      await server.call(method, never, method === 'GET' ? undefined : {}, beta),
    ];
    assert.equal(hidden.status, 404, path);
    assert.equal(hidden.json.code, nothing.json.code);
    const shape = (text: string) => text.replace(/[0-9a-f]{8,}|\d+/g, '#');
    assert.equal(shape(hidden.json.detail), shape(nothing.json.detail));
  };
  for (const part of ['', '/state', '/source', '/graph', '/why', '/actions']) {
    await absent(`runs/${first}${part}`, `runs/99999${part}`);
  }
  for (const part of ['cancel', 'retry']) await absent(`runs/${first}/${part}`, `runs/99999/${part}`, 'POST');
  await absent(`actions/${actions[0].action}`, 'actions/99999');
  await absent(`actions/${actions[0].action}/attempts/0/logs/stdout`, 'actions/99999/attempts/0/logs/stdout');

  // A dataset of alpha alone.
  await server.run([shell('only', 'echo only for alpha', { stdout: 'x' })], {}, alpha);
  const [only] = (await server.get('datasets?name=only', alpha)).json.items;
  for (const part of ['', '/files', '/files/x', '/archive', '/lineage', '/deletion'])
    await absent(`datasets/${only.dataset}${part}`, `datasets/${'0'.repeat(64)}${part}`);
  await absent(`datasets/${only.dataset.slice(0, 8)}`, 'datasets/00000000');

  // Lists and figures.
  const runs = (await server.get('runs', beta)).json.items;
  assert.deepEqual(
    runs.map((one: { run: number }) => one.run),
    [third, second],
  );
  assert.deepEqual((await server.get('runs?project=north', beta)).json.items, []);
  assert.deepEqual((await server.get('datasets?search=only', beta)).json.items, []);
  for (const path of [
    'history/runs?members=true',
    'history/actions',
    'history/savings',
    'history/counts',
    'datasets',
  ]) {
    const text = (await server.get(path, beta)).text;
    assert.ok(!text.includes('alpha') && !text.includes('only'), `${path}: ${text}`);
  }
  assert.equal(
    (
      await server.post(
        'runs',
        { workflow: { name: 'x', actions: [shell('a', 'true')] }, project: 'north' },
        beta,
      )
    ).status,
    403,
  );
  // Sums are of what beta sees; what speaks of the whole site is for those who see all of it.
  const space = (await server.get('storage', beta)).json;
  const counted = space.states.reduce((sum: number, one: { count: number }) => sum + one.count, 0);
  assert.deepEqual([counted, space.freeBytes, space.totalBytes, space.budget], [2, null, null, null]);
  const ownBytes = ownDatasets.reduce((sum: number, one: { sizeBytes: number }) => sum + one.sizeBytes, 0);
  assert.equal(space.usedBytes, ownBytes);
  for (const path of ['storage/use', 'storage/rules', 'history/decisions', '/metrics']) {
    assert.equal((await server.get(path, beta)).status, 403, path);
    assert.equal((await server.get(path, root)).status, 200, path);
  }
  assert.equal((await server.post('storage/decisions', { free: 1, limit: 100 }, beta)).status, 403);
  assert.equal((await server.post('storage/what-if', { budgetBytes: 1 }, beta)).status, 403);
  const body = { workflow: { name: 'busy', actions: [shell('whispered', 'sleep 60')] } };
  const busy = (await server.post('runs', body, alpha)).json.run;
  const doing = async (headers: Record<string, string>): Promise<boolean> =>
    (await server.get('workers', headers)).text.includes('whispered');
  await eventually(() => doing(root));
  assert.equal(await doing(beta), false, 'what workers do names actions of others');
  await server.post(`runs/${busy}/cancel`, {}, alpha);
  await server.varve.wait(busy);

  // Events.
  const stream = await fetch(`${server.url}/api/v1/events?after=0`, { headers: beta });
  const reader = stream.body!.pipeThrough(new TextDecoderStream()).getReader();
  let events = '';
  while (!events.includes(`"run":${third}`)) events += (await reader.read()).value ?? '';
  await reader.cancel();
  assert.ok(!events.includes(`"run":${first},`), 'no event of the other');

  // An upload of alpha is none of beta's, even by its digest.
  const uploaded = await fetch(`${server.url}/api/v1/uploads`, {
    method: 'POST',
    body: 'private',
    headers: { ...alpha, 'content-type': 'application/octet-stream' },
  });
  const { upload } = (await uploaded.json()) as { upload: string };
  const stolen = await server.post(
    'runs',
    { workflow: { name: 'x', actions: [shell('a', 'true')] }, files: { '/f': { upload } } },
    beta,
  );
  assert.equal(stolen.json.code, 'UPLOAD_NOT_FOUND');

  // The administrator sees both.
  assert.equal((await server.get('runs', root)).json.items.length, 5);
});
