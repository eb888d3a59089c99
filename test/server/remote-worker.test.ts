// Workers that need only HTTP, against a real server: jobs are fetched, run and sent back; orders are obeyed; fences hold.
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { VarveClient } from '../../src/api/client/client.ts';
import { runRemoteWorker } from '../../src/worker/remote-worker.ts';
import { eventually, shell, startTestServer, type TestServer } from './test-server.ts';

interface Scope {
  after(action: () => Promise<void>): void;
}

function startWorker(
  t: Scope,
  server: TestServer,
  more: { tags?: string[]; cores?: number; shared?: boolean } = {},
) {
  const folder = mkdtempSync(join(tmpdir(), 'varve-worker-'));
  const stop = new AbortController();
  const notes: string[] = [];
  const running = runRemoteWorker({
    client: new VarveClient({ url: server.url, retries: 0 }),
    name: 'helper',
    tags: more.tags ?? [],
    cores: more.cores ?? 2,
    memoryBytes: 1 << 30,
    sharedStorage: more.shared ?? false,
    folder: join(folder, 'jobs'),
    cacheDirectory: join(folder, 'cache'),
    launcher: 'sh',
    signal: stop.signal,
    note: (text) => void notes.push(text),
    warn: (text) => void notes.push(text),
  });
  t.after(async () => {
    stop.abort();
    await running;
    rmSync(folder, { recursive: true, force: true });
  });
  return { stop, running, notes, folder };
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

const flow = [
  shell('greet', 'printf "hello\\nworld\\n"; mkdir "$VARVE_OUTPUT/deep"; echo x > "$VARVE_OUTPUT/deep/f"', {
    stdout: 'words.txt',
  }),
  shell(
    'count',
    'wc -l < "$VARVE_INPUT_GREET/words.txt"; echo note >&2; ln -s "$VARVE_INPUT_GREET/deep/f" "$VARVE_OUTPUT/link"',
    {
      stdout: 'lines.txt',
      parentActions: ['greet'],
    },
  ),
];

for (const shared of [false, true]) {
  test(`a remote worker runs a workflow${shared ? ' on the storage of the server' : ''}`, async (t) => {
    const server = await startTestServer(t, { roles: ['api', 'manager'] });
    startWorker(t, server, { shared });
    const id = await server.run(flow);
    const run = (await server.get(`runs/${id}`)).json;
    assert.equal(run.state, 'SUCCEEDED', JSON.stringify(run));
    const { dataset } = run.outputs[0];
    assert.equal((await server.get(`datasets/${dataset}/files/lines.txt`)).text.trim(), '2');
    assert.equal((await server.get(`datasets/${dataset}/files/link`)).text, 'x\n');
    const { items } = (await server.get(`runs/${id}/actions?key=count`)).json;
    const log = await server.get(`actions/${items[0].action}/attempts/0/logs/stderr`);
    assert.equal(log.text, 'note\n');
  });
}

test('an action with tags waits for a worker that offers all of them', async (t) => {
  const server = await startTestServer(t);
  startWorker(t, server, { tags: ['ssd'] });
  const { json } = await server.post('runs', {
    workflow: {
      name: 'tagged',
      actions: [shell('a', 'echo $$', { stdout: 'o', resources: { tags: ['ssd', 'gpu'] } })],
    },
  });
  await eventually(async () => (await server.get('workers')).json.items.length === 2);
  const actions = async (): Promise<{ state: string }[]> =>
    (await server.get(`runs/${json.run}/actions`)).json.items;
  assert.equal((await actions())[0]?.state, 'READY');
  startWorker(t, server, { tags: ['gpu', 'ssd', 'big'] });
  assert.equal((await server.varve.wait(json.run)).state, 'SUCCEEDED');
});

test('a name that is no tag is refused with its place', async (t) => {
  const server = await startTestServer(t, { roles: ['api'] });
  const { status, json } = await server.post('runs', {
    workflow: { name: 'w', actions: [shell('a', 'true', { resources: { tags: ['no tag'] } })] },
  });
  assert.equal(status, 422);
  assert.equal(json.problems[0].code, 'NAME_INVALID');
});

test('cancelling a run ends the process on the remote worker', async (t) => {
  const server = await startTestServer(t, { roles: ['api', 'manager'] });
  const { folder } = startWorker(t, server);
  const mark = join(folder, 'pid');
  const { json } = await server.post('runs', {
    workflow: { name: 'long', actions: [shell('a', `echo $$ > '${mark}'; sleep 600`)] },
  });
  await eventually(async () => existsSync(mark) && readFileSync(mark, 'utf8') !== '');
  await server.post(`runs/${json.run}/cancel`);
  assert.equal((await server.varve.wait(json.run)).state, 'CANCELLED');
  const pid = Number(readFileSync(mark, 'utf8'));
  await eventually(async () => !isRunning(pid));
});

test('operators pause, resume and drain a remote worker', async (t) => {
  const server = await startTestServer(t, { roles: ['api', 'manager'] });
  const worker = startWorker(t, server);
  const listed = async () =>
    (await server.get('workers')).json.items.find((item: { kind: string }) => item.kind === 'remote');
  await eventually(async () => (await listed()) !== undefined);
  const { name } = await listed();
  assert.equal((await server.post('workers/helper/order', { order: 'pause' })).json.state, 'PAUSED');
  await eventually(async () => worker.notes.some((note) => note.startsWith('paused')));
  const { json } = await server.post('runs', {
    workflow: { name: 'w', actions: [shell('a', 'echo hi', { stdout: 'o' })] },
  });
  await new Promise((resolve) => setTimeout(resolve, 300));
  assert.equal((await server.get(`runs/${json.run}/actions`)).json.items[0].state, 'READY');
  await server.post(`workers/${name}/order`, { order: 'resume' });
  assert.equal((await server.varve.wait(json.run)).state, 'SUCCEEDED');
  await server.post(`workers/${name}/order`, { order: 'drain' });
  await worker.running;
  assert.equal(await listed(), undefined);
  const answer = await server.post('workers/nobody/order', { order: 'drain' });
  assert.equal(answer.json.code, 'WORKER_NOT_FOUND');
});

test('a remote worker that is told to exit gives its jobs back at once', async (t) => {
  const server = await startTestServer(t, { roles: ['api', 'manager'] });
  const first = startWorker(t, server);
  const mark = join(server.home, 'ran');
  const { json } = await server.post('runs', {
    workflow: {
      name: 'w',
      actions: [shell('a', `echo x >> '${mark}'; if [ $(wc -l < '${mark}') = 1 ]; then sleep 600; fi`)],
    },
  });
  await eventually(async () => existsSync(mark));
  await server.post('workers/helper/order', { order: 'exit' });
  await first.running;
  startWorker(t, server);
  assert.equal((await server.varve.wait(json.run)).state, 'SUCCEEDED');
  const { items } = (await server.get(`runs/${json.run}/actions`)).json;
  const { tries } = (await server.get(`actions/${items[0].action}`)).json;
  assert.deepEqual(
    tries.map((attempt: { state: string }) => attempt.state),
    ['LOST', 'SUCCEEDED'],
  );
});
