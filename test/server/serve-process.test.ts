// `varve serve` as a process: it starts, says where it is, stops in good order, and what ran goes on under the next one.
import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { type TestContext, test } from 'node:test';
import { Home, shell } from '../cli/home.ts';
import { eventually } from './test-server.ts';

interface Started {
  readonly child: ChildProcess;
  readonly url: string;
  readonly ended: Promise<{ readonly status: number | null; readonly stderr: string }>;
}

async function startServer(t: TestContext, home: Home, ...words: string[]): Promise<Started> {
  const { child, ended } = home.start('serve', '--listen', '127.0.0.1:0', ...words);
  t.after(() => void child.kill('SIGKILL'));
  const url = await new Promise<string>((resolve, reject) => {
    let text = '';
    child.stderr?.on('data', (data: Buffer) => {
      text += data;
      const [, found] = /listening at (\S+);/.exec(text) ?? [];
      if (found !== undefined) resolve(found);
    });
    child.once('exit', (code) => reject(new Error(`ended with ${code}: ${text}`)));
  });
  return { child, url, ended };
}

async function ask(url: string, path: string, body?: object) {
  const response = await fetch(`${url}/api/v1/${path}`, {
    method: body ? 'POST' : 'GET',
    ...(body ? { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } } : {}),
  });
  // biome-ignore lint/suspicious/noExplicitAny: the shape is what the test looks at
  return (await response.json()) as any;
}

test('a server that is stopped and started again carries on with what runs, once', async (t) => {
  const home = new Home(t);
  const first = await startServer(t, home);
  const log = home.path('starts.log');
  const actions = [
    shell('slow', `echo started >> ${log}; sleep 3; echo done`, { stdout: 'out' }),
    shell('after', 'cat "$VARVE_INPUT_SLOW/out"', { stdout: 'out', parentActions: ['slow'] }),
  ];
  const { run } = await ask(first.url, 'runs', { workflow: { name: 'restart', actions } });
  await eventually(async () => (await ask(first.url, `runs/${run}/state`)).states.RUNNING === 1);
  const stream = await fetch(`${first.url}/api/v1/events`);
  first.child.kill('SIGTERM');
  assert.equal((await first.ended).status, 0);
  await stream.text();

  const second = await startServer(t, home);
  await eventually(async () => (await ask(second.url, `runs/${run}/state`)).state !== 'RUNNING');
  const ended = await ask(second.url, `runs/${run}`);
  assert.equal(ended.state, 'SUCCEEDED', JSON.stringify(ended));
  assert.equal(
    readFileSync(log, 'utf8'),
    'started\n',
    'the process that ran was taken over, not started again',
  );
  second.child.kill('SIGTERM');
  assert.equal((await second.ended).status, 0);
});

test('roles: what one process takes in, another runs', async (t) => {
  const home = new Home(t);
  const front = await startServer(t, home, '--roles', 'api');
  const { run } = await ask(front.url, 'runs', {
    workflow: { name: 'split', actions: [shell('a', 'echo a')] },
  });
  assert.equal((await ask(front.url, `runs/${run}/state`)).state, 'RUNNING');
  const worker = home.start('serve', '--roles', 'worker');
  t.after(() => void worker.child.kill('SIGKILL'));
  await eventually(async () => (await ask(front.url, `runs/${run}/state`)).state === 'SUCCEEDED');
  const { items } = await ask(front.url, 'workers');
  assert.deepEqual(items.map((one: { roles: string[] }) => one.roles.join()).sort(), ['api', 'worker']);
  worker.child.kill('SIGTERM');
  await worker.ended;
  await eventually(async () => (await ask(front.url, 'workers')).items.length === 1);
});

test('an address that is taken, open to others, or none is one clear message', async (t) => {
  const home = new Home(t);
  const busy = createServer();
  await new Promise<void>((resolve) => busy.listen(0, '127.0.0.1', resolve));
  t.after(() => void busy.close());
  const { port } = busy.address() as { port: number };
  const taken = await home.start('serve', '--listen', `127.0.0.1:${port}`).ended;
  assert.equal(taken.status, 7);
  assert.match(taken.stderr, /cannot listen at 127\.0\.0\.1:\d+: .*\[LISTEN_FAILED\]/);
  const open = await home.start('serve', '--listen', '0.0.0.0:0').ended;
  assert.equal(open.status, 3);
  assert.match(open.stderr, /LISTEN_UNPROTECTED[\s\S]*varve users add/);
  const wrong = await home.start('serve', '--listen', 'nowhere').ended;
  assert.equal(wrong.status, 2);
  assert.match(wrong.stderr, /HOST:PORT/);
});
