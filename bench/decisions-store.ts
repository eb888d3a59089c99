// Measures one decision as production makes it, from the store: what is new since the last one is read, what is there is looked at, the
// algorithm decides, the choice is checked and priced. Nothing is carried out.
//   npm run bench -- decisions-store [sqlite|postgres…] [known datasets…]
// Times are CPU seconds of the deciding process, with wall seconds in brackets: the latter include the database server.
import { fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPrivatePostgres } from '../scripts/private-postgres.ts';
import { GuardedDecider } from '../src/decisions/guarded.ts';
import { createEngine } from '../src/engine/engine.ts';
import { systemClock } from '../src/engine/system-clock.ts';
import { openLocalStorage } from '../src/storage/local/local-storage.ts';
import { openStore } from '../src/store/store.ts';
import { fillStore } from './decisions/fill-store.ts';
import { freedShares, type Setting, settings, stopwatch } from './decisions/past.ts';

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
    decisions: { makeDecider: async () => new GuardedDecider({ algorithm: 'hamr', folder }) },
  });
  const started = stopwatch();
  await decisionManager.foresee(1);
  const first = started();
  const states = await store.view.datasetTotals();
  const totals = states.find(({ state }) => state === 'STORED')?.sizeBytes ?? 0;
  const times: string[] = [];
  for (const share of freedShares) {
    const decided = stopwatch();
    const { by, refused } = await decisionManager.foresee(Math.floor(totals * share));
    times.push(decided());
    if (by !== 'hamr') throw new Error(`hamr did not decide: ${refused}`);
  }
  console.log([title, first.padEnd(15), ...times.map((time) => time.padEnd(15)), ownMemory()].join(' '));
  await storage.close();
  await store.close();
}

/** Memory that is the process's own: pages of the database file that SQLite maps are the system's to take back. */
function ownMemory(): string {
  const status = readFileSync('/proc/self/status', 'utf8');
  const megabytes = (key: string) =>
    Math.round(Number(new RegExp(`${key}:\\s+(\\d+)`).exec(status)?.[1]) / 1000);
  return `${megabytes('RssAnon')} + ${megabytes('RssFile')} MB`;
}

async function order(database: string, setting: Setting, postgres: string | undefined): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'varve-bench-'));
  try {
    const url = database === 'sqlite' ? join(folder, 'store.db') : await newDatabase(postgres!);
    await fillStore(url, setting);
    const title = `${database.padEnd(9)} ${setting.graph.padEnd(7)} ${`${setting.stored} of ${setting.known}`.padEnd(18)}`;
    const child = fork(import.meta.filename);
    child.send({ url, folder, title } satisfies Order);
    await new Promise((resolve) => child.once('exit', resolve));
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
    `database  graph   stored of known    the first       ${freedShares.map((share) => `free ${share * 100} %`.padEnd(16)).join('')}own + file`,
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
