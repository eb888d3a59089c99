// What the store can do per second: claims, transitions, look-ups; and how long a notice takes to another process.
import type { Store } from '../../src/core/ports/store.ts';
import { startChild } from '../../test/store/children.ts';
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

/** Repeats the action for about the time given; returns units per second by the median of three stretches. */
async function rate(ms: number, action: () => Promise<number>): Promise<number> {
  const rates: number[] = [];
  for (let stretch = 0; stretch < 3; stretch++) {
    let units = 0;
    const began = performance.now();
    while (performance.now() - began < ms / 3) {
      const done = await action();
      if (done === 0) break;
      units += done;
    }
    if (units > 0) rates.push((units * 1000) / (performance.now() - began));
  }
  return rates.sort((a, b) => a - b)[Math.floor(rates.length / 2)] ?? 0;
}

/** `datasets` is how many the store holds. Takes READY actions for good. */
export async function measureRates(store: Store, datasets: number, ms: number): Promise<Rates> {
  const lease = { owner: 'bench', until: epoch + 1e9, now: epoch, limit: batch };
  const taken: { id: number; fence: number }[] = [];
  const claims = await rate(ms, async () => {
    const rows = await store.write((tx) => tx.takeActions(lease));
    taken.push(...rows);
    return rows.length;
  });
  const transitions = await rate(ms, async () => {
    const moves = taken.splice(0, batch).map(({ id, fence }) => ({ id, fence, set: { endedAt: epoch } }));
    return (await store.write((tx) => tx.move('action', 'finish', moves, by))).length;
  });
  const some = (): number[] => Array.from({ length: batch }, () => 1 + Math.floor(Math.random() * datasets));
  const lookUps = await rate(
    ms,
    async () => (await store.view.datasetFacts(some().map(signatureOf), ['here'])).length,
  );
  const claimCounts = await rate(ms, async () => {
    await store.view.edgesOn(some());
    return batch;
  });
  const windows = await rate(ms, async () => (await store.view.endedActions({ limit: batch })).length);
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
