// Several processes on one store, and workers that come and go, killed at random: every run ends, every action takes effect exactly once,
// and no attempt is ever run twice.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { openStore } from '../../src/store/store.ts';
import { temporaryFolder } from '../cli/varve.ts';
import { testDatabase } from '../postgres.ts';
import { clientOf, freePort, startRemoteWorker, startServer, type VarveProcess } from './processes.ts';

const killing = { forMs: 15_000, everyMs: 2_500 };

/** A chain of three beside seven that depend on its first; each writes where it ran. */
function workflow(number: number, log: string): object {
  const command = (id: string): string =>
    `pwd >> '${log}'; sleep 0.0${number % 7}; echo ${number}-${id} > "$VARVE_OUTPUT/id"`;
  const one = (id: string, parents: readonly string[] = []) => ({
    id,
    command: command(id),
    ...(parents.length > 0 ? { parentActions: parents } : {}),
  });
  return {
    name: `flow ${number}`,
    actions: [
      one('first'),
      one('second', ['first']),
      one('third', ['second']),
      ...Array.from({ length: 7 }, (_, i) => one(`side${i}`, ['first'])),
    ],
  };
}

async function proveIt(t: TestContext, store: string | undefined): Promise<void> {
  const home = temporaryFolder(t);
  const port = await freePort();
  const log = join(home, 'ran');
  writeFileSync(log, '');
  const options = { home, store };
  const starters: readonly (() => VarveProcess)[] = [
    () => startServer(options, 'api,manager', port),
    () => startServer(options, 'worker', port),
    () => startRemoteWorker(join(home, 'remote-1'), port, 'one'),
    () => startRemoteWorker(join(home, 'remote-2'), port, 'two'),
  ];
  const processes = starters.map((start) => start());
  t.after(async () => {
    await Promise.all(processes.map((process) => process.end('SIGKILL')));
  });
  await processes[0]?.says(/listening/);
  const client = clientOf(port);

  const runs: number[] = [];
  const until = Date.now() + killing.forMs;
  let kills = 0;
  const kill = async (): Promise<void> => {
    while (Date.now() < until) {
      await new Promise((resolve) => setTimeout(resolve, killing.everyMs));
      const victim = Math.floor(Math.random() * starters.length);
      await processes[victim]?.end('SIGKILL');
      processes[victim] = (starters[victim] as () => VarveProcess)();
      kills += 1;
    }
  };
  const submit = async (): Promise<void> => {
    for (let number = 0; Date.now() < until; number += 1) {
      const input = { workflow: workflow(number, log), idempotencyKey: `flow-${number}` };
      runs.push((await client.submitRun(input as never)).run);
      await new Promise((resolve) => setTimeout(resolve, 300));
    }
  };
  await Promise.all([kill(), submit()]);
  for (const run of runs) assert.equal(await client.waitForRun(run), 'SUCCEEDED', `run ${run}`);
  assert.ok(kills >= 3 && runs.length >= 3, `${kills} kills, ${runs.length} runs`);

  for (const process of processes) await process.end('SIGTERM');
  const looked = await openStore(store ?? `sqlite:${join(home, 'varve.db')}`);
  t.after(() => looked.close());
  for (const run of runs) {
    const actions = await looked.view.actionsOfRun(run);
    assert.equal(actions.length, 10);
    const attempts = await looked.view.attempts(actions.map(({ id }) => id));
    for (const { id, key } of actions) {
      const own = attempts.filter(({ actionId }) => actionId === id);
      assert.equal(own.filter(({ state }) => state === 'SUCCEEDED').length, 1, `run ${run}, ${key}`);
      assert.ok(
        own.every(({ state }) => ['SUCCEEDED', 'LOST'].includes(state)),
        JSON.stringify(own),
      );
    }
  }
  const ran = readFileSync(log, 'utf8').match(/\d+-\d+-[0-9a-f]{6}/g) ?? [];
  assert.equal(new Set(ran).size, ran.length, 'an attempt ran twice');
  assert.ok(existsSync(join(home, 'remote-1', 'worker')));
}

test('processes and workers killed at random on SQLite', (t) => proveIt(t, undefined));

test('processes and workers killed at random on PostgreSQL', async (t) => {
  const database = await testDatabase(t);
  return 'skip' in database ? t.skip(database.skip) : proveIt(t, database.url);
});
