// A campaign of real deaths: processes that work on one store are killed with SIGKILL at random moments and replaced, while workflows with
// shared parts are submitted. In the end everything must have come to a good end, and nothing may be left over.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readEnvironment } from '../../src/config/environment.ts';
import { loadConfig } from '../../src/config/load-config.ts';
import { collectGarbage } from '../../src/engine/collect-garbage.ts';
import { verifyDataset } from '../../src/engine/verify-dataset.ts';
import { checkStore } from '../../src/store/check-store.ts';
import { openDatabase } from '../../src/store/open-database.ts';
import { openVarve, type Varve } from '../../src/varve.ts';

export interface CampaignOptions {
  readonly folder: string;
  readonly storeUrl: string;
  readonly kills: number;
  /** Processes that work at the same time. */
  readonly workers: number;
  readonly random: () => number;
}

export interface CampaignReport {
  readonly kills: number;
  readonly runs: number;
  readonly executions: number;
  readonly lostAttempts: number;
}

const main = join(import.meta.dirname, '..', '..', 'src', 'cli', 'main.ts');

export async function runCampaign(options: CampaignOptions): Promise<CampaignReport> {
  const { folder, storeUrl, kills, random } = options;
  const home = join(folder, 'home');
  const set = [`store.url=${storeUrl}`, 'execution.leaseSeconds=2', 'execution.cores=2'];
  const { config } = await loadConfig(readEnvironment(), { home, set });
  const varve = await openVarve({ config });
  const log = join(folder, 'log');
  const start = (...more: string[]): ChildProcess =>
    spawn(
      process.execPath,
      [main, 'work', '--home', home, ...set.flatMap((one) => ['--set', one]), ...more],
      {
        stdio: 'ignore',
        env: { PATH: process.env.PATH, HOME: folder },
      },
    );
  try {
    const runs: number[] = [];
    let working = Array.from({ length: options.workers }, () => start());
    for (let killed = 0; killed < kills; killed += 1) {
      if (killed % 4 === 0) runs.push((await varve.submit(await workflow(varve, folder, log, random))).runId);
      await sleep(50 + random() * 450);
      const victim = working[Math.floor(random() * working.length)] as ChildProcess;
      victim.kill('SIGKILL');
      working = working.map((one) => (one === victim ? start() : one));
    }
    for (const one of working) one.kill('SIGKILL');
    const last = start('--until-idle');
    const code = await new Promise((resolve) => last.on('exit', resolve));
    assert.equal(code, 0, 'the process that finishes everything ended in good order');
    return await judge(varve, options, runs, log);
  } finally {
    await varve.close();
  }
}

/** A small graph whose actions are partly those of earlier graphs. */
async function workflow(varve: Varve, folder: string, log: string, random: () => number) {
  const actions = Array.from({ length: 8 }, (_, i) => {
    const word = Math.floor(random() * 40);
    const parents = i < 3 ? [] : [`a${Math.floor(random() * i)}`];
    return {
      id: `a${i}`,
      command: `echo "$VARVE_OUTPUT" >> ${log}; sleep 0.0${Math.floor(random() * 9)}; echo ${word} > "$VARVE_OUTPUT/f"`,
      ...(parents.length > 0 ? { parentActions: parents } : {}),
      ...(random() < 0.15 ? { keep: 'never' as const } : {}),
    };
  });
  return varve.load({ document: { name: 'campaign', actions } as never, folder });
}

async function judge(
  varve: Varve,
  options: CampaignOptions,
  runs: readonly number[],
  log: string,
): Promise<CampaignReport> {
  const { view } = varve.store;
  for (const run of await view.runs(runs)) assert.equal(run.state, 'SUCCEEDED', `run ${run.id}`);
  const actions = (await Promise.all(runs.map((id) => view.actionsOfRun(id)))).flat();
  const attempts = await view.attempts(actions.map((action) => action.id));
  const executed = Map.groupBy(
    readFileSync(log, 'utf8').trim().split('\n'),
    (line) => line.split('/').at(-2) ?? '',
  );
  for (const [key, lines] of executed)
    assert.equal(lines.length, 1, `attempt ${key} was started ${lines.length} times (I4)`);
  await onceEach(varve, actions, attempts);
  const database = await openDatabase(options.storeUrl);
  assert.deepEqual(await checkStore(database), [], 'no broken rule, no leaked claim');
  await database.close();
  await varve.engine.datasetManager.sweep();
  for (const row of await view.listDatasets({ states: ['STORED', 'LEAF'], limit: 100_000 })) {
    assert.equal(
      await verifyDataset(varve.engine.context, row, 'contents'),
      'intact',
      `dataset ${row.signature}`,
    );
  }
  await collectGarbage(varve.engine.context, { graceMs: 0 });
  for await (const location of varve.storage.locations()) {
    assert.equal((await view.datasetsByLocation([location])).length, 1, `${location} is an orphan`);
  }
  assert.deepEqual(processesOf(options.folder), [], 'no process is left over');
  const lost = attempts.filter((attempt) => attempt.state === 'LOST').length;
  return { kills: options.kills, runs: runs.length, executions: executed.size, lostAttempts: lost };
}

type Actions = Awaited<ReturnType<Varve['store']['view']['actionsOfRun']>>;
type Attempts = Awaited<ReturnType<Varve['store']['view']['attempts']>>;

/** What was reported finished is computed again only after it was deleted: never while its dataset is there. */
async function onceEach(varve: Varve, actions: Actions, attempts: Attempts): Promise<void> {
  const signatureOf = new Map(actions.map((action) => [action.id, action.signature]));
  const succeeded = Map.groupBy(
    attempts.filter((attempt) => attempt.state === 'SUCCEEDED'),
    (attempt) => signatureOf.get(attempt.actionId) ?? '',
  );
  for (const [signature, list] of succeeded) {
    if (list.length === 1) continue;
    const [row] = await varve.store.view.datasetsBySignature([signature], ['shared']);
    const deletions = await varve.store.view.journal({ datasetId: row?.id ?? 0, limit: 1000 });
    const gone = deletions.filter((one) => one.toState === 'DELETED').length;
    assert.ok(
      gone >= list.length - 1,
      `${signature} was computed ${list.length} times and deleted ${gone} times`,
    );
  }
}

/** Processes whose environment names the campaign's folder, other than this one. */
function processesOf(folder: string): string[] {
  return globSync('/proc/[0-9]*').filter((path) => {
    try {
      return (
        path !== `/proc/${process.pid}` &&
        readFileSync(`${path}/environ`, 'utf8').includes(`VARVE_OUTPUT=${folder}`)
      );
    } catch {
      return false;
    }
  });
}
