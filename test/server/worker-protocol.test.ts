// The protocol of remote workers as it is on the wire, by a worker that this test plays itself: who has no right gets nothing, what comes late
// counts for nothing, and nothing that is sent leaves its place.
import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { tarOf } from '../../src/server/tar.ts';
import { eventually, shell, startTestServer, type TestServer } from './test-server.ts';

const self = { name: 'played', host: 'h', pid: 1, version: '0', tags: [], cores: 1, memoryBytes: 1e9 };

class PlayedWorker {
  readonly server: TestServer;
  readonly id: number;
  readonly session: string;

  constructor(server: TestServer, { worker, session }: { worker: number; session: string }) {
    this.server = server;
    this.id = worker;
    this.session = session;
  }

  static async join(server: TestServer, more: object = {}): Promise<PlayedWorker> {
    const { status, json } = await server.post('workers', { ...self, sharedStorage: false, ...more });
    assert.equal(status, 201, JSON.stringify(json));
    return new PlayedWorker(server, json);
  }

  post(path: string, body: object = {}) {
    return this.server.post(`workers/${this.id}/${path}`, body, { 'varve-worker-session': this.session });
  }

  get(path: string, headers: Record<string, string> = {}) {
    return this.server.get(`workers/${this.id}/${path}`, {
      'varve-worker-session': this.session,
      ...headers,
    });
  }

  async put(path: string, body: Uint8Array) {
    const response = await fetch(`${this.server.url}/api/v1/workers/${this.id}/${path}`, {
      method: 'PUT',
      headers: { 'varve-worker-session': this.session, 'content-type': 'application/octet-stream' },
      body: Buffer.from(body),
    });
    // biome-ignore lint/suspicious/noExplicitAny: the shape is what the test looks at
    return { status: response.status, json: (await response.json()) as any };
  }

  poll(more: object = {}) {
    const free = { freeCores: 1, freeMemoryBytes: 1e9, most: 1, waitMs: 0 };
    return this.post('poll', { state: 'ACTIVE', have: [], cancelling: [], ...free, ...more });
  }
}

async function withJob(t: Parameters<typeof startTestServer>[0], set: string[] = [], command = 'true') {
  const server = await startTestServer(t, { roles: ['api', 'manager'], set });
  const worker = await PlayedWorker.join(server);
  const { json } = await server.post('runs', {
    workflow: { name: 'w', actions: [shell('a', command, { retries: 0 })] },
  });
  const { json: answer } = await worker.poll({ waitMs: 10_000 });
  assert.equal(answer.jobs.length, 1, JSON.stringify(answer));
  return { server, worker, run: json.run as number, job: answer.jobs[0] };
}

async function archive(entries: Parameters<typeof tarOf>[1]): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of tarOf('/dev', entries)) pieces.push(piece);
  return Buffer.concat(pieces);
}

const outcome = { kind: 'exited', exitCode: 0, startedAt: 1, endedAt: 2 };

test('a job is told again to a worker that does not know of it, and to nobody else', async (t) => {
  const { server, worker, job } = await withJob(t);
  const again = (await worker.poll()).json;
  assert.equal(again.jobs[0].key, job.key);
  assert.deepEqual((await worker.poll({ have: [job.key] })).json.jobs, []);
  const other = await PlayedWorker.join(server);
  assert.deepEqual((await other.poll()).json.jobs, []);
  for (const path of [`jobs/${job.key}/files`, `jobs/${job.key}/inputs/0`]) {
    assert.equal((await other.get(path)).json.code, 'JOB_NOT_YOURS');
  }
  assert.equal((await other.post(`jobs/${job.key}/end`, { outcome })).json.code, 'JOB_NOT_YOURS');
  assert.equal((await other.put(`jobs/${job.key}/output`, await archive([]))).json.code, 'JOB_NOT_YOURS');
});

test('without the secret of the session nobody speaks for a worker', async (t) => {
  const { worker, job, server } = await withJob(t);
  const stranger = new PlayedWorker(server, { worker: worker.id, session: 'guessed' });
  assert.equal((await stranger.poll()).json.code, 'WORKER_UNKNOWN');
  assert.equal((await stranger.get(`jobs/${job.key}/files`)).status, 404);
  const mute = await server.post(`workers/${worker.id}/poll`, {});
  assert.equal(mute.status, 400);
});

test('an end is reported once, and again without effect', async (t) => {
  const { worker, job, run, server } = await withJob(t);
  await worker.post(`jobs/${job.key}/start`, { at: Date.now() });
  assert.equal((await worker.post(`jobs/${job.key}/end`, { outcome })).status, 200);
  assert.equal((await worker.post(`jobs/${job.key}/end`, { outcome })).status, 200);
  const other = { kind: 'lost', reason: 'changed its mind' };
  assert.equal((await worker.post(`jobs/${job.key}/end`, { outcome: other })).json.code, 'JOB_NOT_YOURS');
  assert.equal((await server.varve.wait(run)).state, 'SUCCEEDED');
});

test('a worker without a sign of life is lost: its report is refused and the action tried again', async (t) => {
  const { worker, job, run, server } = await withJob(t, ['execution.leaseSeconds=3']);
  const states = async () => {
    const { items } = (await server.get('workers?all=true')).json;
    return items.find((item: { worker: number }) => item.worker === worker.id).state;
  };
  await eventually(async () => (await states()) === 'LOST');
  assert.equal((await worker.post(`jobs/${job.key}/end`, { outcome })).json.code, 'WORKER_GONE');
  assert.equal((await worker.poll()).json.code, 'WORKER_GONE');
  const next = await PlayedWorker.join(server);
  let again: { key: string } | undefined;
  await eventually(async () => {
    const { json } = await next.poll({ waitMs: 300 });
    again = json.jobs[0];
    return again !== undefined;
  });
  assert.notEqual(again?.key, job.key);
  assert.equal((await next.post(`jobs/${again?.key}/end`, { outcome })).status, 200);
  assert.equal((await server.varve.wait(run)).state, 'SUCCEEDED');
});

test('logs are added by offset: what is there already is passed over, gaps are refused', async (t) => {
  const { worker, job, server } = await withJob(t);
  const log = (offset: number, text: string) =>
    worker.put(`jobs/${job.key}/logs/stdout/${offset}`, Buffer.from(text));
  assert.equal((await log(0, 'hello ')).json.sizeBytes, 6);
  assert.equal((await log(0, 'hello ')).json.sizeBytes, 6);
  assert.equal((await log(3, 'lo world')).json.sizeBytes, 11);
  assert.equal((await log(20, 'x')).json.code, 'JOB_LOG_GAP');
  const { items } = (await server.get('runs/1/actions')).json;
  const text = await server.get(`actions/${items[0].action}/attempts/0/logs/stdout`);
  assert.equal(text.text, 'hello world');
});

const hostile: Record<string, Parameters<typeof tarOf>[1]> = {
  'a name with ..': [{ kind: 'directory', path: 'out/../../escaped' }],
  'an absolute name': [{ kind: 'directory', path: '/tmp/varve-escaped' }],
  'a place that does not come back': [{ kind: 'directory', path: 'logs/escaped' }],
  'a file in the place of the folder': [{ kind: 'symlink', path: 'out', target: 'work' }],
  'a link to anywhere': [{ kind: 'symlink', path: 'out/l', target: '/etc/passwd' }],
  'a link upwards': [{ kind: 'symlink', path: 'out/l', target: '../../../..' }],
  'a link upwards through another link': [
    { kind: 'directory', path: 'out/x' },
    { kind: 'symlink', path: 'out/p/q/d', target: '../../x' },
    { kind: 'symlink', path: 'out/e', target: 'p/q/d/../../../..' },
  ],
  'a name below a link': [
    { kind: 'symlink', path: 'out/d', target: 'elsewhere' },
    { kind: 'directory', path: 'out/d/inside' },
  ],
};

test('an archive that reaches out of its place is refused as a whole', async (t) => {
  const { worker, job, server } = await withJob(t);
  for (const [what, entries] of Object.entries(hostile)) {
    const { status, json } = await worker.put(`jobs/${job.key}/output`, await archive(entries));
    assert.ok(status >= 400 && status < 500, `${what}: ${status}`);
    assert.match(json.code, /^(ARCHIVE_DAMAGED|JOB_OUTPUT_PLACE)$/, what);
  }
  assert.equal(
    (await worker.put(`jobs/${job.key}/output`, Buffer.from('no tar at all'))).status >= 400,
    true,
  );
  assert.ok(!existsSync(join(server.home, 'escaped')) && !existsSync('/tmp/varve-escaped'));
  assert.ok(!existsSync(join(job.directory, '..', 'escaped')));
  const good = await worker.put(
    `jobs/${job.key}/output`,
    await archive([{ kind: 'directory', path: 'out/d' }]),
  );
  assert.equal(good.status, 200);
  assert.ok(existsSync(join(job.directory, 'out', 'd')));
});

test('an input is sent whole or by range, and only what the job reads', async (t) => {
  const server = await startTestServer(t, { roles: ['api', 'manager'], set: ['server.inputFolders=/'] });
  const file = join(server.home, 'given.txt');
  writeFileSync(file, '0123456789');
  const worker = await PlayedWorker.join(server);
  const input = { given: { file } };
  await server.post('runs', {
    workflow: { name: 'w', actions: [shell('a', 'cat $VARVE_INPUT_GIVEN', { inputs: input })] },
  });
  const [job] = (await worker.poll({ waitMs: 10_000 })).json.jobs;
  assert.deepEqual(job.inputs, [file]);
  assert.equal((await worker.get(`jobs/${job.key}/inputs/0`)).text, '0123456789');
  const part = await worker.get(`jobs/${job.key}/inputs/0`, { range: 'bytes=2-4' });
  assert.equal(part.status, 206);
  assert.equal(part.text, '234');
  assert.equal((await worker.get(`jobs/${job.key}/inputs/1`)).json.code, 'JOB_INPUT_MISSING');
});
