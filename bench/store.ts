// The store on both databases at three sizes, and its claims beside those of two job queues on the same PostgreSQL in the same run:
// `npm run bench -- store [fill] [sizes] [queues] [--large] [--stores=FOLDER] [--database=sqlite|postgres]`. `--large` adds 10 million
// datasets and 1 million actions, which takes long to fill and 30 GB. Filled stores stay in FOLDER and are used again; `fill` does nothing
// but fill them, for a measurement later on. Durability is the default: what is reported is on disk.
import type { StoreSize } from '../test/store/fill-store.ts';
import { measureRates, measureWakeUp, type Rates } from './store/measures.ts';
import { batch, graphileQueue, installPeers, pgBossQueue, takers, varveQueue } from './store/queues.ts';
import { filled, open, openPlaces, type Place, type Subject, warm } from './store/subjects.ts';

const flag = (name: string): string | undefined =>
  process.argv.find((word) => word.startsWith(`--${name}=`))?.slice(name.length + 3);
const words = process.argv.slice(2).filter((word) => !word.startsWith('-'));
const wanted = (part: string): boolean => words.includes(part) || (words.length === 0 && part !== 'fill');
const sizes: readonly StoreSize[] = [
  { datasets: 10_000, actions: 10_000 },
  { datasets: 100_000, actions: 100_000 },
  { datasets: 1_000_000, actions: 100_000 },
  ...(process.argv.includes('--large') ? [{ datasets: 10_000_000, actions: 1_000_000 }] : []),
];
const rounds = 5;
const measureMs = 400;
const jobs = 4_000;
/** What is shown meanwhile; results go to the standard output. */
const tell = (text: string): void => console.error(text);

const measures = [
  ['claims', 'claims'],
  ['transitions', 'transitions'],
  ['lookUps', 'look-ups'],
  ['claimCounts', 'claim counts'],
  ['windows', 'window rows'],
] as const satisfies readonly [keyof Rates, string][];

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

/** Medians of the rounds; in brackets what an operation costs against the smallest store in the same round. */
function row(subject: Subject, smallest: Subject): string {
  const cells = measures.map(([measure]) => {
    const rates = subject.rounds.map((round) => round[measure]);
    const costs = rates.map((rate, round) => smallest.rounds[round]![measure] / rate);
    return `${Math.round(median(rates)).toLocaleString('en')} (${median(costs).toFixed(2)} ×)`.padStart(17);
  });
  const { database, size } = subject;
  return (
    `${database.dialect.name} ${(size.datasets / 1000).toLocaleString('en')}k`.padEnd(17) + cells.join(' ')
  );
}

/** One database after the other, so that the largest store has the memory for itself. */
async function measureDatabase(place: Place): Promise<void> {
  const subjects: Subject[] = [];
  for (const size of sizes) subjects.push(await open(await filled(place, size, tell), size));
  for (const subject of subjects.toReversed()) await warm(subject);
  tell(`${subjects[0]!.database.dialect.name}: filled and in memory, measuring`);
  // All sizes take turns, so that a busy machine slows all of them alike; the first round warms up.
  for (let round = -1; round < rounds; round++) {
    for (const subject of subjects) {
      const rates = await measureRates(subject.store, subject.size, measureMs);
      if (round >= 0) subject.rounds.push(rates);
    }
  }
  const smallest = subjects[0]!;
  const { p50, p99 } = await measureWakeUp(smallest.store, smallest.url, 100);
  for (const { store } of subjects) await store.close();
  console.log('per second, and the cost against the smallest:');
  console.log(''.padEnd(17) + measures.map(([, name]) => name.padStart(17)).join(' '));
  for (const subject of subjects) console.log(row(subject, smallest));
  console.log(
    `another process is woken within ${p50.toFixed(1)} ms (median), ${p99.toFixed(1)} ms (99th of 100)\n`,
  );
}

async function measureQueues(place: Place): Promise<void> {
  const url = await place.create('queues');
  const contestants = [await varveQueue(url), await graphileQueue(url), await pgBossQueue(url)];
  const speeds = contestants.map((): number[] => []);
  // They take turns, so that a busy machine slows all of them alike; the first round warms up.
  for (let round = -1; round < rounds; round++) {
    for (const [i, contestant] of contestants.entries()) {
      const ms = await contestant.round(jobs);
      if (round >= 0) speeds[i]?.push((jobs * 1000) / ms);
    }
  }
  for (const contestant of contestants) await contestant.close();
  console.log(
    `jobs claimed and finished per second on one PostgreSQL, ${takers} takers, ${batch} at a time (median of ${rounds}, slowest and fastest round):`,
  );
  const own = median(speeds[0]!);
  for (const [i, { name }] of contestants.entries()) {
    const show = (speed: number): string => Math.round(speed).toLocaleString('en');
    const [speed, slowest, fastest] = [median(speeds[i]!), Math.min(...speeds[i]!), Math.max(...speeds[i]!)];
    console.log(
      `${name.padEnd(17)} ${show(speed).padStart(8)}   ${(own / speed).toFixed(2)} ×   (${show(slowest)} – ${show(fastest)})`,
    );
  }
}

const only = flag('database');
const places = await openPlaces(flag('stores'), only !== 'sqlite');
const databases = [
  ...(only === 'postgres' ? [] : [places.sqlite]),
  ...(places.postgres ? [places.postgres] : []),
];
if (wanted('fill')) for (const place of databases) for (const size of sizes) await filled(place, size, tell);
if (wanted('sizes')) for (const place of databases) await measureDatabase(place);
if (wanted('queues')) {
  if (places.postgres && installPeers()) await measureQueues(places.postgres);
  else console.log('the comparison with other queues needs PostgreSQL and a registry of packages');
}
await places.close();
