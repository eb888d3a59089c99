// The leases under which one process at a time records history and decides, or compacts it. Everything written under it carries the fencing number, so
// that a process that was slow and lost the lease changes nothing.
import type { StoreTransaction } from '../core/ports/store.ts';
import type { EngineContext } from './engine-context.ts';

/** Who records history and decides, and who compacts: the two do not hinder each other. */
export type LeaseName = 'decisions' | 'compaction';

export interface DecisionLease {
  /** Runs the body in a transaction that holds the lease; undefined when the lease was lost, and then nothing is written. */
  write<T>(body: (tx: StoreTransaction) => Promise<T>): Promise<T | undefined>;
}

/** Runs the body under the lease; undefined when another process has it. */
export async function withDecisionLease<T>(
  { store, clock, owner }: Pick<EngineContext, 'store' | 'clock' | 'owner'>,
  leaseMs: number,
  body: (lease: DecisionLease) => Promise<T>,
  name: LeaseName = 'decisions',
): Promise<T | undefined> {
  const taken = await store.write(
    (tx) => {
      const now = clock.now();
      return tx.takeLease({ name, owner, now, until: now + leaseMs });
    },
    { durable: false },
  );
  if (taken === undefined) return undefined;
  const fence = taken;
  try {
    return await body({
      write: (change) =>
        store.write(async (tx) => {
          const held = await tx.holdLease({ name, fence, until: clock.now() + leaseMs });
          return held ? change(tx) : undefined;
        }),
    });
  } finally {
    await store.write((tx) => tx.releaseLease({ name, fence }), { durable: false });
  }
}
