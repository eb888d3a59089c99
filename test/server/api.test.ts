// The REST API from submission to download, over real connections.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually, shell, startTestServer } from './test-server.ts';

const flow = [
  shell('greet', 'printf "hello\\nworld\\n"', { stdout: 'words.txt' }),
  shell('count', 'wc -l < "$VARVE_INPUT_GREET/words.txt"; echo note >&2', {
    stdout: 'lines.txt',
    parentActions: ['greet'],
  }),
];

test('a workflow is submitted, runs, and its result is downloaded', async (t) => {
  const server = await startTestServer(t);
  const submitted = await server.post('runs', { workflow: { name: 'hello', actions: flow } });
  assert.equal(submitted.status, 201);
  assert.equal(submitted.json.repeated, false);
  const id = submitted.json.run;
  await server.varve.wait(id);

  const run = (await server.get(`runs/${id}`)).json;
  assert.equal(run.state, 'SUCCEEDED');
  assert.equal(run.actions.computed, 2);
  assert.equal(run.outputs.length, 1);
  const [result] = run.outputs;
  assert.equal(result.action, 'count');

  const files = (await server.get(`datasets/${result.dataset}/files`)).json;
  assert.deepEqual(
    files.items.map((file: { path: string }) => file.path),
    ['lines.txt'],
  );
  const file = await server.get(`datasets/${result.dataset}/files/lines.txt`);
  assert.equal(file.text.trim(), '2');
  assert.equal(file.headers.get('content-type'), 'text/plain; charset=utf-8');

  const graph = (await server.get(`runs/${id}/graph`)).json;
  assert.deepEqual(graph.edges, [[0, 1]], JSON.stringify(graph));
  assert.deepEqual(
    graph.actions.map((action: unknown[]) => action[1]),
    ['greet', 'count'],
  );

  const { items } = (await server.get(`runs/${id}/actions?key=count`)).json;
  const action = (await server.get(`actions/${items[0].action}`)).json;
  assert.equal(action.tries.length, 1);
  assert.equal(action.tries[0].exitCode, 0);
  assert.equal(action.inputs[0].slot, 'greet');
  const log = await server.get(`actions/${items[0].action}/attempts/0/logs/stderr`);
  assert.equal(log.text, 'note\n');
});

test('a repeated submission with the same key gives the same run', async (t) => {
  const server = await startTestServer(t, { roles: ['api'] });
  const body = { workflow: { name: 'hello', actions: flow } };
  const first = await server.post('runs', body, { 'idempotency-key': 'one' });
  const second = await server.post('runs', body, { 'idempotency-key': 'one' });
  const third = await server.post('runs', body, { 'idempotency-key': 'two' });
  assert.equal(second.json.run, first.json.run);
  assert.equal(second.json.repeated, true);
  assert.notEqual(third.json.run, first.json.run);
});

test('all problems of a document are reported at once, each with code and place', async (t) => {
  const server = await startTestServer(t, { roles: ['api'] });
  const workflow = 'name: broken\nactions:\n  - id: a\n    comand: x\n  - id: a\n    command: [1, 2\n';
  const unreadable = await server.post('runs', { workflow });
  assert.equal(unreadable.status, 422);
  assert.match(unreadable.headers.get('content-type') ?? '', /^application\/problem\+json/);
  const wrong =
    'name: broken\nactions:\n  - id: a\n    comand: x\n  - id: a\n    command: y\n    parentActions: [z]\n';
  const answer = await server.post('runs', { workflow: wrong, fileName: 'flow.yaml' });
  assert.equal(answer.status, 422);
  assert.ok(answer.json.problems.length >= 3, answer.text);
  for (const problem of answer.json.problems) {
    assert.match(problem.code, /^[A-Z_]+$/);
    assert.equal(problem.place.file, '/flow.yaml');
    assert.ok(problem.place.line >= 3);
  }
  const checked = await server.post('validations', { workflow: wrong, fileName: 'flow.yaml' });
  assert.equal(checked.status, 200);
  assert.deepEqual(checked.json.problems, answer.json.problems);
});

test('a plan changes nothing and says what would be done', async (t) => {
  const server = await startTestServer(t);
  const body = { workflow: { name: 'hello', actions: flow } };
  const before = await server.post('plans', body);
  assert.deepEqual(
    before.json.items.map((item: { plan: string }) => item.plan),
    ['compute', 'compute'],
  );
  assert.deepEqual((await server.get('runs')).json.items, []);
  await server.run(flow);
  const after = await server.post('plans', body);
  assert.deepEqual(
    after.json.items.map((item: { plan: string }) => item.plan),
    ['leave', 'reuse'],
  );
});

test('lists are read in pages by opaque cursors, with filters', async (t) => {
  const server = await startTestServer(t, { roles: ['api'] });
  for (let i = 0; i < 5; i += 1)
    await server.post('runs', {
      workflow: { name: i % 2 ? 'odd' : 'even', actions: [shell('a', `echo ${i}`)] },
    });
  const seen: number[] = [];
  let cursor: string | null = null;
  do {
    const page: { items: { run: number }[]; next: string | null } = (
      await server.get(`runs?limit=2${cursor ? `&cursor=${cursor}` : ''}`)
    ).json;
    seen.push(...page.items.map((item) => item.run));
    cursor = page.next;
  } while (cursor);
  assert.deepEqual(seen, [5, 4, 3, 2, 1]);
  const numbers = async (query: string): Promise<number[]> =>
    (await server.get(`runs?${query}`)).json.items.map((item: { run: number }) => item.run);
  assert.deepEqual(await numbers('name=odd'), [4, 2]);
  assert.deepEqual(await numbers('search=VE'), [5, 3, 1]);
  assert.deepEqual(await numbers('state=RUNNING&state=FAILED&limit=1'), [5]);
  assert.deepEqual(await numbers('state=FAILED'), []);
  assert.deepEqual(await numbers('user=nobody'), []);
  const forged = await server.get('runs?cursor=bm9uc2Vuc2U');
  assert.equal(forged.status, 400);
  assert.equal(forged.json.code, 'CURSOR_INVALID');
});

test('runs are cancelled, retried and re-run; datasets pinned, deleted and restored', async (t) => {
  const server = await startTestServer(t);
  const slow = await server.post('runs', { workflow: { name: 'slow', actions: [shell('s', 'sleep 60')] } });
  const cancelled = await server.post(`runs/${slow.json.run}/cancel`);
  assert.equal(cancelled.status, 200, cancelled.text);
  assert.equal((await server.varve.wait(slow.json.run)).state, 'CANCELLED');
  assert.equal((await server.post(`runs/${slow.json.run}/cancel`)).status, 409);

  const id = await server.run(flow);
  const again = await server.post(`runs/${id}/rerun`, { actions: ['greet'] });
  assert.equal(again.status, 201, again.text);
  await server.varve.wait(again.json.run);
  const why = (await server.get(`runs/${again.json.run}/why?action=greet`)).json;
  assert.equal(why.items[0].code, 'FORCED');
  const retried = await server.post(`runs/${id}/retry`);
  assert.equal((await server.varve.wait(retried.json.run)).state, 'SUCCEEDED');

  const greet = (await server.get('datasets?name=greet')).json.items[0].dataset;
  assert.equal((await server.post(`datasets/${greet}/pin`, { forMs: 60_000 })).status, 200);
  const held = await server.call('DELETE', `datasets/${greet}`);
  assert.equal(held.status, 409);
  assert.equal(held.json.code, 'DATASET_CLAIMED');
  assert.equal((await server.call('DELETE', `datasets/${greet}/pin`)).status, 200);
  assert.equal((await server.call('DELETE', `datasets/${greet}`)).status, 200);
  await eventually(async () => (await server.get(`datasets/${greet}`)).json.state === 'DELETED');
  assert.match((await server.get(`datasets/${greet}/deletion`)).json.reason, /deleted by/);
  assert.equal((await server.get(`datasets/${greet}/files`)).status, 409);
  const restored = await server.post(`datasets/${greet}/restore`);
  assert.equal((await server.varve.wait(restored.json.run)).state, 'SUCCEEDED');
  assert.equal((await server.get(`datasets/${greet}`)).json.state, 'LEAF');
  const lineage = (await server.get(`datasets/${greet}/lineage?direction=both`)).json;
  assert.equal(lineage.links.length, 1);
});

test('uploaded files are inputs of a submission, and missing ones are named', async (t) => {
  const server = await startTestServer(t);
  const actions = [
    shell('sort', 'sort "$VARVE_INPUT_TABLE"', {
      stdout: 'sorted',
      inputs: { table: { file: 'data/table.txt' } },
    }),
  ];
  const bare = await server.post('runs', {
    workflow: { name: 'f', actions },
    folder: '/home/anna',
    files: {},
  });
  assert.equal(bare.status, 422);
  assert.deepEqual(bare.json.missingFiles, ['/home/anna/data/table.txt']);
  const uploaded = await fetch(`${server.url}/api/v1/uploads`, {
    method: 'POST',
    body: 'b\na\n',
    headers: { 'content-type': 'application/octet-stream' },
  });
  assert.equal(uploaded.status, 201);
  const { upload, sizeBytes } = (await uploaded.json()) as { upload: string; sizeBytes: number };
  assert.equal(sizeBytes, 4);
  const files = { '/home/anna/data/table.txt': { upload } };
  const id = await server.run(actions, { folder: '/home/anna', files });
  const { outputs } = (await server.get(`runs/${id}`)).json;
  assert.equal((await server.get(`datasets/${outputs[0].dataset}/files/sorted`)).text, 'a\nb\n');
});

test('a dataset is held while its archive is downloaded, and no longer', async (t) => {
  const server = await startTestServer(t);
  const id = await server.run([
    shell('a', 'mkdir "$VARVE_OUTPUT/d"; echo deep > "$VARVE_OUTPUT/d/f"', { outputs: { d: 'd' } }),
  ]);
  const { dataset } = (await server.get(`runs/${id}`)).json.outputs[0];
  const held = async () => (await server.get(`datasets/${dataset}`)).json.holders.includes('download');
  const whole = await fetch(`${server.url}/api/v1/datasets/${dataset}/archive`);
  const archive = Buffer.from(await whole.arrayBuffer());
  assert.equal(archive.subarray(257, 262).toString(), 'ustar');
  assert.ok(archive.includes('deep\n'));
  await eventually(async () => !(await held()));
  const head = await fetch(`${server.url}/api/v1/datasets/${dataset}/archive`, { method: 'HEAD' });
  assert.equal(head.status, 200);
  await eventually(async () => !(await held()));
});

test('parts of files and logs are served by range', async (t) => {
  const server = await startTestServer(t);
  const id = await server.run([shell('digits', 'printf 0123456789', { stdout: 'digits.txt' })]);
  const { dataset } = (await server.get(`runs/${id}`)).json.outputs[0];
  const path = `datasets/${dataset}/files/digits.txt`;
  const part = await server.get(path, { range: 'bytes=2-4' });
  assert.equal(part.status, 206);
  assert.equal(part.text, '234');
  assert.equal(part.headers.get('content-range'), 'bytes 2-4/10');
  assert.equal((await server.get(path, { range: 'bytes=-3' })).text, '789');
  assert.equal((await server.get(path, { range: 'bytes=7-' })).text, '789');
  assert.equal((await server.get(path, { range: 'bytes=10-' })).status, 416);
  assert.equal((await server.get(path, { range: 'lines=1-2' })).status, 200);
});

test('the API describes itself, and a page lets people try it out', async (t) => {
  const server = await startTestServer(t, { roles: ['api'] });
  const document = (await server.get('/api/v1/openapi.json')).json;
  assert.equal(document.openapi, '3.1.0');
  const page = await server.get('/api');
  assert.match(page.headers.get('content-type') ?? '', /^text\/html/);
  for (const [, address = ''] of page.text.matchAll(/(?:src|href)="(\/[^"]+)"/g))
    assert.equal((await server.get(address)).status, 200, address);
  assert.ok(!/<script>|style=|onclick=/.test(page.text), 'nothing that the content security policy forbids');
});
