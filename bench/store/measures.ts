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

/** Things done per second by the call that took the middle time: a busy machine stops some calls for long and most not at all. */
function typicalRate(callsMs: number[]): number {
  callsMs.sort((a, b) => a - b);
  return (batch * 1000) / (callsMs[Math.floor(callsMs.length / 2)] as number);
}

async function timed<T>(callsMs: number[], call: () => Promise<T>): Promise<T> {
  const began = performance.now();
  const result = await call();
  callsMs.push(performance.now() - began);
  return result;
}

/** Repeats a call that does `batch` things for about the time given. */
async function rate(ms: number, call: () => Promise<unknown>): Promise<number> {
  const callsMs: number[] = [];
  for (const end = performance.now() + ms; performance.now() < end; ) await timed(callsMs, call);
  return typicalRate(callsMs);
}

/** Takes from the front of the queue and gives back at its end, so that the queue stays as long as it is. */
async function turnQueue(store: Store, { actions }: StoreSize, ms: number): Promise<[number, number]> {
  const lease = { owner: 'bench', until: epoch + 1e9, now: epoch, limit: batch };
  const toTheEnd = ({ id, fence, rank }: ActionRow) => ({
    id,
    fence,
    set: { owner: null, leaseUntil: 0, rank: rank + actions },
  });
  const [takes, releases]: [number[], number[]] = [[], []];
  for (const end = performance.now() + 2 * ms; performance.now() < end; ) {
    const rows = await timed(takes, () => store.write((tx) => tx.takeActions(lease)));
    const moves = rows.map(toTheEnd);
    await timed(releases, () => store.write((tx) => tx.move('action', 'release', moves, by)));
  }
  return [typicalRate(takes), typicalRate(releases)];
}

/** Spends about `ms` milliseconds on each of them. */
export async function measureRates(store: Store, size: StoreSize, ms: number): Promise<Rates> {
  const [claims, transitions] = await turnQueue(store, size, ms);
  const some = (): number[] =>
    Array.from({ length: batch }, () => 1 + Math.floor(Math.random() * size.datasets));
  const lookUps = await rate(ms, () => store.view.datasetFacts(some().map(signatureOf), ['here']));
  const claimCounts = await rate(ms, () => store.view.edgesOn(some()));
  const windows = await rate(ms, () => {
    const until = epoch + Math.ceil((0.1 + 0.9 * Math.random()) * size.actions);
    return store.view.endedActions({ until, limit: batch });
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
