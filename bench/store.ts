// The store on both databases at three sizes, and its claims beside those of two job queues on the same PostgreSQL in the same run:
// `npm run bench -- store [sizes] [queues] [--large] [--json]`. `--large` adds 10 million datasets and 1 million actions, which takes
// an hour and 30 GB. Durability is the default: what is reported is on disk.
import { createReadStream, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import pg from 'pg';
import { type PrivatePostgres, startPrivatePostgres } from '../scripts/private-postgres.ts';
import type { Store } from '../src/core/ports/store.ts';
import type { Database } from '../src/store/database.ts';
import { migrate } from '../src/store/migrate.ts';
import { openDatabase } from '../src/store/open-database.ts';
import { createStore } from '../src/store/store.ts';
import { fillStore, type StoreSize } from '../test/store/fill-store.ts';
import { measureRates, measureWakeUp, type Rates } from './store/measures.ts';
import { batch, graphileQueue, installPeers, pgBossQueue, takers, varveQueue } from './store/queues.ts';

interface SizeResult extends StoreSize {
  readonly database: string;
  readonly fillSeconds: number;
  /** Medians of the rounds. */
  readonly rates: Rates;
  /** What an operation costs against the smallest store in the same round; medians of the rounds. */
  readonly cost: Rates;
}

interface WakeUp {
  readonly database: string;
  readonly p50: number;
  readonly p99: number;
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
// As the manual of PostgreSQL advises: a quarter of the memory.
const sharedBuffersMb = Math.max(128, Math.floor(totalmem() / 4 / 2 ** 20));
const server = await startPrivatePostgres({
  durable: true,
  settings: {
    shared_buffers: `${sharedBuffersMb}MB`,
    maintenance_work_mem: '512MB',
    max_wal_size: '8GB',
  },
});
const sizes: readonly StoreSize[] = [
  { datasets: 10_000, actions: 10_000 },
  { datasets: 100_000, actions: 100_000 },
  { datasets: 1_000_000, actions: 100_000 },
  ...(large ? [{ datasets: 10_000_000, actions: 1_000_000 }] : []),
];
const rounds = 5;
const measureMs = 400;
const jobs = 4_000;
const say = (text: string): void => {
  if (!asJson) console.log(text);
};

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

async function newDatabase(name: string): Promise<string> {
  const { url: serverUrl } = server as PrivatePostgres;
  const client = new pg.Client({ connectionString: serverUrl });
  await client.connect();
  await client.query(`create database ${name}`);
  await client.end();
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}

interface Subject {
  readonly database: Database;
  readonly size: StoreSize;
  readonly url: string;
  readonly store: Store;
  readonly fillSeconds: number;
  readonly rounds: Rates[];
}

async function prepare(url: string, size: StoreSize): Promise<Subject> {
  const database = await openDatabase(url);
  await migrate(database, url, 0);
  const began = performance.now();
  await fillStore(database, size);
  const fillSeconds = (performance.now() - began) / 1000;
  const store = createStore(database, url);
  return { database, size, url, store, fillSeconds, rounds: [] };
}

/** What a bulk load leaves to be done later is done now, and the data is in memory: the cost of operations counts, not that of disks. */
async function warm({ database, url }: Subject): Promise<void> {
  if (database.dialect.name === 'sqlite') {
    await database.reader.all('pragma wal_checkpoint(truncate)');
    await finished(createReadStream(url).resume());
    return;
  }
  for (const statement of ['vacuum analyze', 'checkpoint', 'create extension if not exists pg_prewarm'])
    await database.reader.all(statement);
  await database.reader.all(
    `select pg_prewarm(oid) from pg_class where relname like 'action%' or relname like 'edge%'
      or relname in ('dataset', 'dataset_pkey', 'dataset_signature')`,
  );
}

const measures = ['claims', 'transitions', 'lookUps', 'claimCounts', 'windows'] as const;

function summary(subject: Subject, smallest: Subject): SizeResult {
  const each = (value: (measure: (typeof measures)[number], round: number) => number): Rates => {
    const medians = measures.map((measure) => [
      measure,
      median(subject.rounds.map((_, round) => value(measure, round))),
    ]);
    return Object.fromEntries(medians) as unknown as Rates;
  };
  const rate = (of: Subject, measure: (typeof measures)[number], round: number): number =>
    of.rounds[round]?.[measure] ?? 0;
  return {
    database: subject.database.dialect.name,
    ...subject.size,
    fillSeconds: subject.fillSeconds,
    rates: each((measure, round) => rate(subject, measure, round)),
    cost: each((measure, round) => rate(smallest, measure, round) / rate(subject, measure, round)),
  };
}

function row({ database, datasets, rates, cost }: SizeResult): string {
  const cells = measures.map((measure) => {
    const perSecond = Math.round(rates[measure]).toLocaleString('en');
    return `${perSecond} (${cost[measure].toFixed(2)} ×)`.padStart(17);
  });
  return `${database} ${(datasets / 1000).toLocaleString('en')}k`.padEnd(17) + cells.join(' ');
}

/** One database after the other, so that the largest store has the memory for itself. */
async function measureDatabase(newUrl: (name: string) => Promise<string>): Promise<void> {
  const subjects: Subject[] = [];
  for (const [i, size] of sizes.entries()) {
    const subject = await prepare(await newUrl(`size${i}`), size);
    subjects.push(subject);
    const { database, fillSeconds } = subject;
    say(
      `filled ${database.dialect.name} with ${size.datasets.toLocaleString('en')} datasets in ${fillSeconds.toFixed(0)} s`,
    );
  }
  for (const subject of subjects.toReversed()) await warm(subject);
  // All sizes take turns, so that a busy machine slows all of them alike; the first round warms up.
  for (let round = -1; round < rounds; round++) {
    for (const subject of subjects) {
      const rates = await measureRates(subject.store, subject.size, measureMs);
      if (round >= 0) subject.rounds.push(rates);
    }
  }
  const smallest = subjects[0] as Subject;
  const { p50, p99 } = await measureWakeUp(smallest.store, smallest.url, 100);
  wakeUps.push({ database: smallest.database.dialect.name, p50, p99 });
  const measured = subjects.map((subject) => summary(subject, smallest));
  results.push(...measured);
  for (const { store } of subjects) await store.close();
  const names = ['claims', 'transitions', 'look-ups', 'claim counts', 'window rows'];
  say('\nper second, and the cost against the smallest:');
  say(''.padEnd(17) + names.map((name) => name.padStart(17)).join(' '));
  for (const result of measured) say(row(result));
  say(`another process is woken within ${p50.toFixed(1)} ms (median), ${p99.toFixed(1)} ms (99th of 100)\n`);
}

const results: SizeResult[] = [];
const wakeUps: WakeUp[] = [];
if (wanted('sizes')) {
  await measureDatabase(async (name) => join(work, `${name}.db`));
  rmSync(work, { recursive: true, force: true });
  if (server) await measureDatabase(newDatabase);
}

const queues: QueueResult[] = [];
if (wanted('queues') && server && installPeers()) {
  const queueUrl = await newDatabase('queues');
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
    queues.push({ queue: contestant.name, jobsPerSecond, median: median(jobsPerSecond) });
    await contestant.close();
  }
  say(
    `\njobs claimed and finished per second on one PostgreSQL, ${takers} takers, ${batch} at a time (median of ${rounds}):`,
  );
  const own = queues[0]?.median ?? 0;
  for (const { queue, median: speed } of queues) {
    say(
      `${queue.padEnd(17)} ${Math.round(speed).toLocaleString('en').padStart(8)}   ${(own / speed).toFixed(2)} ×`,
    );
  }
} else if (wanted('queues'))
  say('the comparison with other queues needs PostgreSQL and a registry of packages');

await server?.stop();
rmSync(work, { recursive: true, force: true });
const folder = join(import.meta.dirname, 'results');
mkdirSync(folder, { recursive: true });
const report = JSON.stringify({ at: new Date().toISOString(), sizes: results, wakeUps, queues }, null, 2);
writeFileSync(join(folder, 'store.json'), `${report}\n`);
if (asJson) console.log(report);
