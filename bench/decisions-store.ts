// Measures one decision as production makes it, from the store: what is new since the last one is read, what is there is looked at, the
// algorithm decides, the choice is checked and priced. Nothing is carried out. The first process reads the whole history and keeps what
// it made of it; the second one finds that.
//   npm run bench -- decisions-store [sqlite|postgres…] [known datasets…]
// Times are CPU seconds of the deciding process, all threads, with wall seconds in brackets: the latter include the database server.
import { fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { startPrivatePostgres } from '../scripts/private-postgres.ts';
import { createDecisionMemory } from '../src/composition/decision-memory.ts';
import { GuardedDecider } from '../src/decisions/guarded.ts';
import { createEngine } from '../src/engine/engine.ts';
import { systemClock } from '../src/engine/system-clock.ts';
import { openLocalStorage } from '../src/storage/local/local-storage.ts';
import { openStore } from '../src/store/store.ts';
import { fillStore } from './decisions/fill-store.ts';
import { freedShares, type Setting, settings } from './decisions/past.ts';

interface Order {
  readonly url: string;
  readonly folder: string;
  readonly title: string;
}

async function measure({ url, folder, title }: Order): Promise<void> {
  const store = await openStore(url, { durability: 'normal' });
  const storage = openLocalStorage({ root: join(folder, 'datasets') });
  const { decisionManager } = createEngine({
    store,
    storage,
    actionTypes: [],
    clock: systemClock,
    owner: 'bench',
    randomText: () => 'bench',
    programVersion: 'bench',
    decisions: {
      makeDecider: async () => new GuardedDecider({ algorithm: 'hamr', folder }),
      memory: createDecisionMemory(join(folder, 'memory')),
    },
  });
  const stalled = watchStalls();
  const started = processStopwatch();
  await decisionManager.foresee(1);
  const first = started();
  const states = await store.view.datasetTotals();
  const totals = states.find(({ state }) => state === 'STORED')?.sizeBytes ?? 0;
  const times: string[] = [];
  for (const share of freedShares) {
    const decided = processStopwatch();
    const { by, refused } = await decisionManager.foresee(Math.floor(totals * share));
    times.push(decided());
    if (by !== 'hamr') throw new Error(`hamr did not decide: ${refused}`);
  }
  console.log(
    [title, first.padEnd(15), ...times.map((time) => time.padEnd(15)), stalled().padEnd(9), memory()].join(
      ' ',
    ),
  );
  await decisionManager.stop();
  await storage.close();
  await store.close();
}

/** The most memory that was resident, with every page of files that was mapped. */
function memory(): string {
  const status = readFileSync('/proc/self/status', 'utf8');
  return `${Math.round(Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1000)} MB`;
}

/** Says for how long at most the process answered nobody. */
function watchStalls(): () => string {
  const delays = monitorEventLoopDelay({ resolution: 5 });
  delays.enable();
  return () => `${Math.round(delays.max / 1e6)} ms`;
}

/** Started now; says CPU seconds of all threads and wall seconds since then. */
function processStopwatch(): () => string {
  const cpu = process.cpuUsage();
  const wall = performance.now();
  return () => {
    const { user, system } = process.cpuUsage(cpu);
    return `${((user + system) / 1e6).toFixed(2)} s (${((performance.now() - wall) / 1000).toFixed(2)})`;
  };
}

async function order(database: string, setting: Setting, postgres: string | undefined): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'varve-bench-'));
  try {
    const url = database === 'sqlite' ? join(folder, 'store.db') : await newDatabase(postgres!);
    await fillStore(url, setting);
    for (const process of ['first', 'next']) {
      const size = `${setting.stored} of ${setting.known}`.padEnd(18);
      const title = `${database.padEnd(9)} ${setting.graph.padEnd(7)} ${size} ${process.padEnd(7)}`;
      const child = fork(import.meta.filename);
      child.send({ url, folder, title } satisfies Order);
      await new Promise((resolve) => child.once('exit', resolve));
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function newDatabase(server: string): Promise<string> {
  const { Client } = await import('pg');
  const client = new Client({ connectionString: server });
  await client.connect();
  const name = `bench_${Date.now()}`;
  await client.query(`create database ${name}`);
  await client.end();
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}

if (process.send) {
  process.once('message', async (message: Order) => {
    await measure(message);
    process.disconnect?.();
  });
} else {
  const words = process.argv.slice(2);
  const sizes = words.map(Number).filter((size) => size > 0);
  const databases = ['sqlite', 'postgres'].filter(
    (name) => words.includes(name) || words.length === sizes.length,
  );
  const server = databases.includes('postgres') ? await startPrivatePostgres({ durable: true }) : undefined;
  console.log(
    `database  graph   stored of known    process the first       ${freedShares.map((share) => `free ${share * 100} %`.padEnd(16)).join('')}stall     peak RSS`,
  );
  for (const database of databases) {
    if (database === 'postgres' && !server) {
      console.log('postgres is not installed');
      continue;
    }
    for (const setting of settings) {
      if (sizes.length === 0 || sizes.includes(setting.known)) await order(database, setting, server?.url);
    }
  }
  await server?.stop();
}
