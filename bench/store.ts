// The store on both databases at three sizes, and its claims beside those of two job queues on the same PostgreSQL in the same run:
// `npm run bench -- store [sizes] [queues] [--large] [--json]`. `--large` ends with 10 million datasets and 1 million actions in SQLite, which takes
// a quarter of an hour and 15 GB. Durability is the default: what is reported is on disk.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { startPrivatePostgres } from '../scripts/private-postgres.ts';
import { migrate } from '../src/store/migrate.ts';
import { openDatabase } from '../src/store/open-database.ts';
import { createStore } from '../src/store/store.ts';
import { fillStore } from '../test/store/fill-store.ts';
import { measureRates, measureWakeUp, type Rates } from './store/measures.ts';
import { batch, graphileQueue, installPeers, pgBossQueue, takers, varveQueue } from './store/queues.ts';

interface SizeResult extends Rates {
  readonly database: string;
  readonly datasets: number;
  readonly actions: number;
  readonly fillSeconds: number;
  readonly wakeUpMs: { readonly p50: number; readonly p99: number };
}

interface QueueResult {
  readonly queue: string;
  readonly jobsPerSecond: readonly number[];
  readonly median: number;
}

const asJson = process.argv.includes('--json');
const large = process.argv.includes('--large');
const parts = process.argv.slice(2).filter((word) => !word.startsWith('-'));
const wanted = (part: string): boolean => parts.length === 0 || parts.includes(part);
const work = mkdtempSync(join(tmpdir(), 'varve-bench-store-'));
const server = await startPrivatePostgres({ durable: true });
const sizes = [
  { datasets: 10_000, actions: 10_000 },
  { datasets: 100_000, actions: 100_000 },
  { datasets: 1_000_000, actions: 100_000 },
];
const rounds = 5;
const jobs = 4_000;
const say = (text: string): void => {
  if (!asJson) console.log(text);
};

async function newDatabase(name: string): Promise<string | undefined> {
  if (!server) return undefined;
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  await client.query(`create database ${name}`);
  await client.end();
  const url = new URL(server.url);
  url.pathname = `/${name}`;
  return url.href;
}

async function measureSize(url: string, size: (typeof sizes)[number]): Promise<SizeResult> {
  const database = await openDatabase(url);
  await migrate(database, url, 0);
  const began = performance.now();
  await fillStore(database, size);
  const fillSeconds = (performance.now() - began) / 1000;
  const store = createStore(database, url);
  const rates = await measureRates(store, size.datasets, 1_500);
  const wakeUpMs = await measureWakeUp(store, url, 100);
  await store.close();
  return { database: database.dialect.name, ...size, fillSeconds, ...rates, wakeUpMs };
}

function row(result: SizeResult): string {
  const number = (value: number): string => Math.round(value).toLocaleString('en').padStart(10);
  const { claims, transitions, lookUps, claimCounts, windows, wakeUpMs } = result;
  const rates = [claims, transitions, lookUps, claimCounts, windows].map(number).join(' ');
  const name = `${result.database} ${(result.datasets / 1000).toLocaleString('en')}k`.padEnd(17);
  return `${name}${rates} ${wakeUpMs.p50.toFixed(2).padStart(8)} / ${wakeUpMs.p99.toFixed(2)}`;
}

const results: SizeResult[] = [];
if (wanted('sizes'))
  say('per second:          claims transitions look-ups claim counts window rows   wake-up ms p50 / p99');
for (const [i, size] of wanted('sizes') ? sizes.entries() : []) {
  const urls = [join(work, `size${i}.db`), await newDatabase(`size${i}`)];
  for (const url of urls) {
    if (url === undefined) continue;
    const result = await measureSize(url, size);
    results.push(result);
    say(row(result));
  }
}
if (large) {
  const result = await measureSize(join(work, 'large.db'), { datasets: 10_000_000, actions: 1_000_000 });
  results.push(result);
  say(row(result));
}
const [small, ...others] = results.filter((result) => result.database === 'sqlite');
const largest = others.at(-1);
if (small && largest) {
  const ratio = (of: (rates: Rates) => number): string => (of(small) / of(largest)).toFixed(2);
  say(
    `cost at ${largest.datasets.toLocaleString('en')} datasets against 10,000 on SQLite: claim ${ratio((r) => r.claims)} ×, ` +
      `transition ${ratio((r) => r.transitions)} ×, look-up ${ratio((r) => r.lookUps)} ×, ` +
      `claim count ${ratio((r) => r.claimCounts)} ×, window ${ratio((r) => r.windows)} ×`,
  );
}

const queues: QueueResult[] = [];
const queueUrl = await newDatabase('queues');
if (wanted('queues') && queueUrl !== undefined && installPeers()) {
  const contestants = [
    await varveQueue(queueUrl),
    await graphileQueue(queueUrl),
    await pgBossQueue(queueUrl),
  ];
  const speeds = contestants.map((): number[] => []);
  // They take turns, so that a busy machine slows all of them alike; the first round warms up.
  for (let round = -1; round < rounds; round++) {
    for (const [i, contestant] of contestants.entries()) {
      const ms = await contestant.round(jobs);
      if (round >= 0) speeds[i]?.push((jobs * 1000) / ms);
    }
  }
  for (const [i, contestant] of contestants.entries()) {
    const jobsPerSecond = speeds[i] ?? [];
    const median = [...jobsPerSecond].sort((a, b) => a - b)[Math.floor(rounds / 2)] ?? 0;
    queues.push({ queue: contestant.name, jobsPerSecond, median });
    await contestant.close();
  }
  say(
    `\njobs claimed and finished per second on one PostgreSQL, ${takers} takers, ${batch} at a time (median of ${rounds}):`,
  );
  const own = queues[0]?.median ?? 0;
  for (const { queue, median } of queues) {
    say(
      `${queue.padEnd(17)} ${Math.round(median).toLocaleString('en').padStart(8)}   ${(own / median).toFixed(2)} ×`,
    );
  }
} else if (wanted('queues'))
  say('the comparison with other queues needs PostgreSQL and a registry of packages');

await server?.stop();
rmSync(work, { recursive: true, force: true });
const folder = join(import.meta.dirname, 'results');
mkdirSync(folder, { recursive: true });
const report = JSON.stringify({ at: new Date().toISOString(), sizes: results, queues }, null, 2);
writeFileSync(join(folder, 'store.json'), `${report}\n`);
if (asJson) console.log(report);
