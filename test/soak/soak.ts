// Mixed load over HTTP on several processes, one of which is killed every 20 seconds: at the end nothing is lost, nothing ran twice, and the
// server that lived all the time has not grown.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { VarveClient } from '../../src/api/client/client.ts';
import { runVarve } from '../cli/varve.ts';
import {
  clientOf,
  freePort,
  startRemoteWorker,
  startServer,
  type VarveProcess,
} from '../server/processes.ts';

export interface SoakOptions {
  readonly folder: string;
  /** SQLite in the folder without it. */
  readonly store?: string | undefined;
  readonly minutes: number;
  readonly killEveryMs: number;
  readonly clients: number;
  readonly say: (text: string) => void;
}

export interface SoakReport {
  readonly runs: number;
  readonly cancelled: number;
  readonly kills: number;
  readonly lostAttempts: number;
  /** Resident megabytes of the server that lived all the time, over time. */
  readonly megabytes: readonly number[];
  /** How memory stood after the caches were filled and at the end; undefined when the time was too short to say. */
  readonly growth: Growth | undefined;
}

interface Growth {
  readonly before: number;
  readonly after: number;
}

interface Submitted {
  readonly run: number;
  readonly number: number;
  readonly client: number;
  cancelled: boolean;
}

const sampleEveryMs = 5_000;
const mostGrowthMegabytes = 60;

export async function soak(options: SoakOptions): Promise<SoakReport> {
  const { folder, store, say } = options;
  const home = join(folder, 'home');
  mkdirSync(home, { recursive: true });
  const log = join(folder, 'ran');
  writeFileSync(log, '');
  const [port, second] = [await freePort(), await freePort()];
  const settings = { home, store, leaseSeconds: 5, set: ['server.rateLimit=0'] };
  const steady = startServer(settings, 'api,manager', port);
  const starters: readonly (() => VarveProcess)[] = [
    () => startServer(settings, 'worker', 0),
    () => startServer(settings, 'api,manager,worker', second),
    () => startRemoteWorker(join(folder, 'one'), port, 'one'),
    () => startRemoteWorker(join(folder, 'two'), port, 'two'),
  ];
  const mortals: VarveProcess[] = [];
  try {
    await steady.says(/listening/);
    mortals.push(...starters.map((start) => start()));
    const report = await underLoad(options, { steady, starters, mortals, client: clientOf(port), log });
    await Promise.all([steady, ...mortals].map((process) => process.end('SIGTERM')));
    const { exitCode, stdout, stderr } = await runVarve(home, [
      'store',
      'check',
      ...(store === undefined ? [] : ['--set', `store.url=${store}`]),
    ]);
    say(`store check: ${stdout.trim() || stderr.trim()}`);
    if (exitCode !== 0) throw new Error(`the store is damaged: ${stdout}${stderr}`);
    return report;
  } finally {
    await Promise.all([steady, ...mortals].map((process) => process.end('SIGKILL')));
  }
}

interface World {
  readonly steady: VarveProcess;
  readonly starters: readonly (() => VarveProcess)[];
  readonly mortals: VarveProcess[];
  readonly client: VarveClient;
  readonly log: string;
}

async function underLoad(options: SoakOptions, world: World): Promise<SoakReport> {
  const until = Date.now() + options.minutes * 60_000;
  const submitted: Submitted[] = [];
  const megabytes: number[] = [];
  const loops = Array.from({ length: options.clients }, (_, i) => useServer(world, i, until, submitted));
  const [kills] = await Promise.all([
    killNowAndThen(options, world, until),
    sample(world.steady, until, megabytes),
    follow(world.client, until),
    ...loops,
  ]);
  options.say(`${submitted.length} runs submitted, ${kills} kills; waiting for their ends`);
  const lostAttempts = await verify(world, submitted);
  return {
    runs: submitted.length,
    cancelled: submitted.filter((one) => one.cancelled).length,
    kills,
    lostAttempts,
    megabytes,
    growth: checkGrowth(megabytes),
  };
}

async function killNowAndThen(
  { killEveryMs, say }: SoakOptions,
  world: World,
  until: number,
): Promise<number> {
  let kills = 0;
  while (Date.now() + killEveryMs < until) {
    await sleep(killEveryMs);
    const victim = kills % world.starters.length;
    await world.mortals[victim]?.end('SIGKILL');
    world.mortals[victim] = (world.starters[victim] as () => VarveProcess)();
    kills += 1;
    say(`killed process ${victim}`);
  }
  return kills;
}

async function sample({ child }: VarveProcess, until: number, megabytes: number[]): Promise<void> {
  while (Date.now() < until) {
    await sleep(sampleEveryMs);
    const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
    megabytes.push(Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024));
  }
}

/** Somebody who keeps the page open. */
async function follow(client: VarveClient, until: number): Promise<void> {
  const stop = AbortSignal.timeout(Math.max(1, until - Date.now()));
  for await (const _ of client.events({ signal: stop })) if (stop.aborted) return;
}

/** What a user does: submits, looks, sometimes cancels, downloads. Half of the workflows share their first action with another user. */
async function useServer(world: World, index: number, until: number, submitted: Submitted[]): Promise<void> {
  const { client, log } = world;
  for (let number = 0; Date.now() < until; number += 1) {
    const shared = number % 2 === 0 ? `shared-${number}` : `own-${index}-${number}`;
    const command = (text: string): string => `echo "$PWD" >> '${log}'; echo '${text}' > "$VARVE_OUTPUT/o"`;
    const last = `cat "$VARVE_INPUT_FIRST/o" > "$VARVE_OUTPUT/o"; echo end-${index}-${number} >> "$VARVE_OUTPUT/o"`;
    const workflow = {
      name: `soak ${index}`,
      actions: [
        { id: 'first', command: command(shared) },
        { id: 'slow', command: `${command(`slow-${index}-${number}`)}; sleep 0.2`, parentActions: ['first'] },
        { id: 'last', command: `echo "$PWD" >> '${log}'; ${last}`, parentActions: ['first', 'slow'] },
      ],
    };
    const idempotencyKey = `soak-${index}-${number}`;
    const { run } = await client.submitRun({ workflow, idempotencyKey } as never);
    const again = await client.submitRun({ workflow, idempotencyKey } as never);
    if (again.run !== run) throw new Error(`a repeated submission made run ${again.run} beside ${run}`);
    const one: Submitted = { run, number, client: index, cancelled: false };
    submitted.push(one);
    if (number % 17 === 16) {
      one.cancelled = await cancel(client, run);
    } else if (number % 5 === 0) await client.waitForRun(run);
    await client.listRuns({ limit: 20 });
    await client.getRun({ run });
    await sleep(50);
  }
}

/** False when the run had ended before. */
async function cancel(client: VarveClient, run: number): Promise<boolean> {
  try {
    await client.cancelRun({ run });
    return true;
  } catch (error) {
    if ((error as { code?: string }).code === 'RUN_ENDED') return false;
    throw error;
  }
}

async function verify({ client, log }: World, submitted: readonly Submitted[]): Promise<number> {
  let lost = 0;
  const left = [...submitted];
  const verifySome = async (): Promise<void> => {
    for (let one = left.pop(); one; one = left.pop()) lost += await verifyRun(client, one);
  };
  await Promise.all(Array.from({ length: 8 }, verifySome));
  const ran = readFileSync(log, 'utf8').match(/\d+-\d+-[0-9a-f]{6}/g) ?? [];
  if (new Set(ran).size !== ran.length) throw new Error('an attempt ran twice');
  return lost;
}

/** Returns how many attempts were lost on the way to the right result. */
async function verifyRun(client: VarveClient, submitted: Submitted): Promise<number> {
  const { run, number, client: index, cancelled } = submitted;
  const { state: now, endedAt } = await client.getRun({ run });
  const state = endedAt === null ? await client.waitForRun(run) : now;
  const detail = await client.getRun({ run });
  const fine = state === 'SUCCEEDED' || (cancelled && state === 'CANCELLED');
  if (!fine) throw new Error(`run ${run} is ${state}: ${JSON.stringify(detail)}`);
  let lost = 0;
  const { items } = await client.listActions({ run });
  for (const { action } of items) {
    const { tries } = await client.getAction({ action });
    lost += tries.filter((attempt) => attempt.state === 'LOST').length;
    if (tries.filter((attempt) => attempt.state === 'SUCCEEDED').length > 1)
      throw new Error(`action ${action} of run ${run} took effect twice`);
  }
  if (state !== 'SUCCEEDED') return lost;
  const output = detail.outputs.find((one) => one.action === 'last');
  const { body } = await client.readFile({ dataset: output?.dataset as string, path: 'o' });
  let text = '';
  for await (const piece of body) text += Buffer.from(piece).toString();
  const first = number % 2 === 0 ? `shared-${number}` : `own-${index}-${number}`;
  if (text !== `${first}\nend-${index}-${number}\n`)
    throw new Error(`run ${run} gave ${JSON.stringify(text)}`);
  return lost;
}

/** After the first third, when caches are filled, memory stays what it was. */
function checkGrowth(megabytes: readonly number[]): Growth | undefined {
  const third = Math.floor(megabytes.length / 3);
  if (third < 3) return undefined;
  const median = (values: readonly number[]): number =>
    [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] as number;
  const [before, after] = [median(megabytes.slice(third, 2 * third)), median(megabytes.slice(2 * third))];
  if (after - before > mostGrowthMegabytes)
    throw new Error(`the server grew from ${before} to ${after} MB: ${megabytes.join(' ')}`);
  return { before, after };
}
