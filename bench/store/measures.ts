// What the store can do per second: claims, transitions, look-ups; and how long a notice takes to another process.
import type { Store } from '../../src/core/ports/store.ts';
import type { ActionRow } from '../../src/core/rows.ts';
import { startChild } from '../../test/store/children.ts';
import type { StoreSize } from '../../test/store/fill-store.ts';
import { epoch, signatureOf } from '../../test/store/rows.ts';

export interface Rates {
  readonly claims: number;
  readonly transitions: number;
  readonly lookUps: number;
  readonly claimCounts: number;
  readonly windows: number;
}

const by = { actor: 'bench', at: epoch };
const batch = 20;

/** Repeats the action, which says what it did, for about the time given; returns units per second. */
async function rate(ms: number, action: () => Promise<number>): Promise<number> {
  let units = 0;
  const began = performance.now();
  while (performance.now() - began < ms) units += await action();
  return (units * 1000) / (performance.now() - began);
}

/** Takes from the front of the queue and gives back at its end, so that the queue stays as long as it is. */
async function turnQueue(store: Store, { actions }: StoreSize, ms: number): Promise<[number, number]> {
  const lease = { owner: 'bench', until: epoch + 1e9, now: epoch, limit: batch };
  const toTheEnd = ({ id, fence, rank }: ActionRow) => ({
    id,
    fence,
    set: { owner: null, leaseUntil: 0, rank: rank + actions },
  });
  const spent = [0, 0] as [number, number];
  let units = 0;
  while (spent[0] + spent[1] < 2 * ms) {
    const began = performance.now();
    const rows = await store.write((tx) => tx.takeActions(lease));
    const taken = performance.now();
    await store.write((tx) => tx.move('action', 'release', rows.map(toTheEnd), by));
    spent[0] += taken - began;
    spent[1] += performance.now() - taken;
    units += rows.length;
  }
  return [(units * 1000) / spent[0], (units * 1000) / spent[1]];
}

/** Spends about `ms` milliseconds on each of them. */
export async function measureRates(store: Store, size: StoreSize, ms: number): Promise<Rates> {
  const [claims, transitions] = await turnQueue(store, size, ms);
  const some = (): number[] =>
    Array.from({ length: batch }, () => 1 + Math.floor(Math.random() * size.datasets));
  const lookUps = await rate(
    ms,
    async () => (await store.view.datasetFacts(some().map(signatureOf), ['here'])).length,
  );
  const claimCounts = await rate(ms, async () => {
    await store.view.edgesOn(some());
    return batch;
  });
  const windows = await rate(ms, async () => {
    const until = epoch + Math.ceil((0.1 + 0.9 * Math.random()) * size.actions);
    return (await store.view.endedActions({ until, limit: batch })).length;
  });
  return { claims, transitions, lookUps, claimCounts, windows };
}

/** Milliseconds from the call that commits in this process to the word of another that heard of it. */
export async function measureWakeUp(
  store: Store,
  url: string,
  times: number,
): Promise<{ p50: number; p99: number }> {
  const ends: (() => Promise<void>)[] = [];
  const child = startChild({ after: (end) => ends.push(end) }, 'listen', url);
  await child.ready;
  child.go();
  await new Promise((resolve) => setTimeout(resolve, 500));
  const taken: number[] = [];
  for (let i = 0; i < times; i++) {
    const heard = child.next();
    const began = performance.now();
    await store.write(async (tx) => tx.notify('run'), { durable: false });
    await heard;
    taken.push(performance.now() - began);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  for (const end of ends) await end();
  taken.sort((a, b) => a - b);
  return { p50: taken[Math.floor(times / 2)] ?? 0, p99: taken[Math.floor(times * 0.99)] ?? 0 };
}
