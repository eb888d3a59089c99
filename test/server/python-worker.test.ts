// The example of a worker in another language, against a real server.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { eventually, shell, startTestServer, type TestServer } from './test-server.ts';

const program = join(import.meta.dirname, '../../examples/worker-python/worker.py');
const python = spawnSync('python3', ['--version']).status === 0;
const skip = python ? false : 'python3 is not installed (apt-get install python3)';

function startWorker(t: { after(action: () => Promise<void>): void }, server: TestServer): ChildProcess {
  const child = spawn('python3', [program, server.url, '--cores', '2', '--folder', join(server.home, 'py')], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  t.after(async () => {
    child.kill('SIGKILL');
  });
  return child;
}

test('the worker in Python runs a workflow, with inputs, logs, links and a failure', { skip }, async (t) => {
  const server = await startTestServer(t, { roles: ['api', 'manager'] });
  const child = startWorker(t, server);
  const id = await server.run([
    shell('greet', 'printf "hello\\nworld\\n"; mkdir "$VARVE_OUTPUT/deep"; echo x > "$VARVE_OUTPUT/deep/f"', {
      stdout: 'words.txt',
    }),
    shell(
      'count',
      'wc -l < "$VARVE_INPUT_GREET/words.txt"; ln -s "$VARVE_INPUT_GREET/deep/f" "$VARVE_OUTPUT/l"',
      {
        stdout: 'lines.txt',
        parentActions: ['greet'],
      },
    ),
  ]);
  const run = (await server.get(`runs/${id}`)).json;
  assert.equal(run.state, 'SUCCEEDED', JSON.stringify(run));
  const { dataset } = run.outputs[0];
  assert.equal((await server.get(`datasets/${dataset}/files/lines.txt`)).text.trim(), '2');
  assert.equal((await server.get(`datasets/${dataset}/files/l`)).text, 'x\n');

  const failed = await server.run([shell('bad', 'echo because >&2; exit 3')]);
  const { items } = (await server.get(`runs/${failed}/actions`)).json;
  const action = (await server.get(`actions/${items[0].action}`)).json;
  assert.equal(action.tries[0].exitCode, 3);
  assert.match(JSON.stringify(action.error), /because/);

  await server.post('workers/python/order', { order: 'drain' });
  await eventually(async () => child.exitCode !== null);
  assert.equal(child.exitCode, 0);
});
