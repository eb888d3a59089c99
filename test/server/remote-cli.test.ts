// `varve --server URL …` does what `varve …` does, on the home of the server.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { Home, shell } from '../cli/home.ts';
import { startTestServer } from './test-server.ts';

const sorting = {
  name: 'sorting',
  actions: [
    shell('sort', 'sort "$VARVE_INPUT_TABLE"', {
      stdout: 'sorted',
      inputs: { table: { file: '../data/table.txt' } },
    }),
    shell('count', 'wc -l < "$VARVE_INPUT_SORT/sorted"; echo counted >&2', {
      stdout: 'lines',
      parentActions: ['sort'],
    }),
  ],
};

/** Commands run in processes of their own, so they must not block this one, which serves them. */
async function remote(home: Home, url: string, ...words: string[]) {
  const { status, stdout, stderr } = await home.start('--server', url, ...words).ended;
  return { status, stdout, stderr };
}

test('a workflow runs on a server with local files, and its results come back', async (t) => {
  const server = await startTestServer(t);
  const home = new Home(t);
  const flow = home.write('flows/flow.json', sorting);
  home.write('data/table.txt', 'b\na\n');
  const run = await remote(home, server.url, 'run', flow, '--outdir', home.path('results'), '--json');
  assert.equal(run.status, 0, run.stderr);
  assert.equal(JSON.parse(run.stdout).actions.computed, 2);
  assert.equal(readFileSync(home.path('results/count/lines'), 'utf8').trim(), '2');
  assert.ok(!existsSync(home.path('home')), 'nothing is made on this side');

  const again = await remote(home, server.url, 'run', flow);
  assert.match(again.stdout, /everything was reused/);
  const plan = await remote(home, server.url, 'run', flow, '--dry-run');
  assert.match(plan.stdout, /count\s+reuse/);
  const listed = JSON.parse((await remote(home, server.url, 'runs', '--json')).stdout);
  assert.deepEqual(
    listed.map((one: { run: number }) => one.run),
    [2, 1],
  );
  assert.match((await remote(home, server.url, 'show', '1')).stdout, /sort\s+FINISHED/);
  assert.match((await remote(home, server.url, 'why', '2', 'count')).stdout, /STORED/);
  assert.equal(
    (await remote(home, server.url, 'logs', '1', 'count', '--stream', 'stderr')).stdout,
    'counted\n',
  );
  assert.equal((await remote(home, server.url, 'logs', '1', 'count', '-f')).stdout.includes('counted'), true);
  const datasets = JSON.parse((await remote(home, server.url, 'datasets', 'ls', '--json')).stdout);
  assert.deepEqual(
    datasets.map((one: { name: string }) => one.name),
    ['count', 'sort'],
  );
  const lineage = await remote(home, server.url, 'datasets', 'lineage', datasets[0].signature);
  assert.match(lineage.stdout, /sort/);
  const verified = await remote(home, server.url, 'datasets', 'verify');
  assert.equal(verified.stdout, '2 intact, 0 missing, 0 damaged\n');
  assert.equal((await remote(home, server.url, 'history', 'export')).stdout.split('\n').length, 6);
  assert.match((await remote(home, server.url, 'savings')).stdout, /sorting/);
  const dry = await remote(home, server.url, 'decide', '--dry-run', '--free', '1B');
  assert.match(dry.stdout, /1 dataset would be given up/);
});

test('programs beside the workflow come along, and count for what is reused', async (t) => {
  const server = await startTestServer(t);
  const home = new Home(t);
  const flow = home.write('flow.json', {
    name: 'p',
    actions: [shell('a', 'sh tools/hello.sh', { stdout: 'out' })],
  });
  home.write('tools/hello.sh', 'echo hello');
  home.write('unused.bin', 'not named by any command');
  const computed = async (): Promise<number> => {
    const { stdout, stderr } = await remote(home, server.url, 'run', flow, '--json');
    assert.equal(JSON.parse(stdout || 'null')?.state, 'SUCCEEDED', stderr);
    return JSON.parse(stdout).actions.computed;
  };
  assert.equal(await computed(), 1);
  assert.equal(await computed(), 0);
  home.write('tools/hello.sh', 'echo goodbye');
  assert.equal(await computed(), 1);
});

test('errors of a server look like errors at home: place, code, hint, exit code', async (t) => {
  const server = await startTestServer(t, { roles: ['api'] });
  const home = new Home(t);
  const flow = home.write('flow.yaml', 'name: x\nactions:\n  - id: a\n    comand: echo\n');
  const near = home.run('run', 'flow.yaml');
  const far = await remote(home, server.url, 'run', 'flow.yaml');
  assert.equal(far.stderr, near.stderr);
  assert.equal(far.status, near.status);
  assert.match(far.stderr, /^flow\.yaml:4:5: /m);
  const checked = await remote(home, server.url, 'validate', flow, 'flow.yaml');
  assert.equal(checked.stdout, home.run('validate', flow, 'flow.yaml').stdout);
  const missing = await remote(home, server.url, 'show', '77');
  assert.equal(missing.status, 4);
  assert.match(missing.stderr, /there is no run 77 \[RUN_NOT_FOUND\]/);
  home.write(
    'missing.yaml',
    'name: x\nactions:\n  - id: a\n    command: cat\n    stdin: { file: nowhere.txt }\n',
  );
  const absent = await remote(home, server.url, 'run', 'missing.yaml');
  assert.equal(absent.stderr, home.run('run', 'missing.yaml').stderr);
});

test('a server that is not there, or is none, is one clear message', async (t) => {
  const home = new Home(t);
  const gone = await remote(home, 'http://127.0.0.1:9', 'runs');
  assert.equal(gone.status, 7);
  assert.match(gone.stderr, /no answer from http:\/\/127\.0\.0\.1:9.*\[SERVER_UNREACHABLE\]/);
  const wrong = await remote(home, 'nonsense', 'runs');
  assert.equal(wrong.status, 2);
  assert.match(wrong.stderr, /SERVER_ADDRESS/);
  const local = await remote(home, 'http://127.0.0.1:9', 'store', 'check');
  assert.match(local.stderr, /CLI_NO_SERVER/);
});
