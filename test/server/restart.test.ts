// Servers that end while work runs: what runs goes on and is taken up again, or is declared lost and done anew; never both.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { runVarve, temporaryFolder } from '../cli/varve.ts';
import { clientOf, freePort, startServer } from './processes.ts';
import { eventually } from './test-server.ts';

async function begin(t: TestContext) {
  const home = temporaryFolder(t);
  const mark = join(home, 'mark');
  const go = join(home, 'go');
  const port = await freePort();
  const first = startServer({ home }, 'api,manager,worker', port);
  t.after(() => first.end('SIGKILL'));
  await first.says(/listening/);
  const client = clientOf(port);
  const command = `echo "start $PPID" >> '${mark}'; while [ ! -e '${go}' ]; do sleep 0.1; done; echo end >> '${mark}'`;
  const { run } = await client.submitRun({
    workflow: { name: 'long', actions: [{ id: 'a', command }] },
  } as never);
  // The file is there before the line is.
  await eventually(async () => existsSync(mark) && readFileSync(mark, 'utf8').endsWith('\n'));
  return { home, mark, go, port, first, client, run };
}

type World = Awaited<ReturnType<typeof begin>>;

async function goOn(t: TestContext, { home, port, go, client, run }: World): Promise<string[]> {
  const second = startServer({ home }, 'api,manager,worker', port);
  t.after(() => second.end('SIGKILL'));
  await second.says(/listening/);
  await new Promise((resolve) => setTimeout(resolve, 1000));
  writeFileSync(go, '');
  assert.equal(await client.waitForRun(run), 'SUCCEEDED');
  const { items } = await client.listActions({ run });
  const { tries } = await client.getAction({ action: items[0]?.action as number });
  return tries.map((attempt) => attempt.state);
}

const starts = (mark: string): number => readFileSync(mark, 'utf8').split('start').length - 1;

for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
  test(`after ${signal} the process of the action runs on and the next server takes it up again`, async (t) => {
    const world = await begin(t);
    await world.first.end(signal);
    assert.deepEqual(await goOn(t, world), ['SUCCEEDED']);
    assert.equal(starts(world.mark), 1);
    assert.match(readFileSync(world.mark, 'utf8'), /^start \d+\nend\n$/);
  });
}

test('when the launcher is killed, too, the action is declared lost, ended, and done anew', async (t) => {
  const world = await begin(t);
  const launcher = Number(/start (\d+)/.exec(readFileSync(world.mark, 'utf8'))?.[1]);
  await world.first.end('SIGKILL');
  process.kill(launcher, 'SIGKILL');
  assert.deepEqual(await goOn(t, world), ['LOST', 'SUCCEEDED']);
  assert.equal(starts(world.mark), 2);
  assert.equal(readFileSync(world.mark, 'utf8').split('end').length - 1, 1);
});

test('a process that is told to drain finishes what it has and ends', async (t) => {
  const world = await begin(t);
  const { items } = await world.client.listWorkers({});
  assert.deepEqual(items[0]?.roles, ['api', 'manager', 'worker']);
  // What a process does is told with its next sign of life.
  await eventually(async () => {
    const { stdout } = await runVarve(world.home, ['workers']);
    return /ACTIVE +api,manager,worker .* 1 action: a/.test(stdout);
  });
  const name = items[0]?.name as string;
  const told = await runVarve(world.home, [
    '--server',
    `http://127.0.0.1:${world.port}`,
    'workers',
    'drain',
    name,
  ]);
  assert.equal(told.stdout.trim(), `${name} finishes what it has and leaves`);
  await new Promise((resolve) => setTimeout(resolve, 500));
  assert.equal(world.first.child.exitCode, null);
  writeFileSync(world.go, '');
  await eventually(async () => world.first.child.exitCode !== null);
  assert.equal(world.first.child.exitCode, 0);
  assert.match(readFileSync(world.mark, 'utf8'), /end/);
});
