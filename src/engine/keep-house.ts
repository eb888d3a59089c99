// What the decision manager does now and then: obeys rules, holds users to their quotas of results, compacts old history,
// and compares what is recorded with what is on the disk. Settings in the store say when each was done last, by whomever.
import type { PresentDataset } from '../core/ports/history.ts';
import { compactHistory, type Remember } from './compact-history.ts';
import { by, type EngineContext } from './engine-context.ts';
import { holdQuotas } from './leaf-quotas.ts';
import { loseDatasets } from './lose-datasets.ts';

export interface HousekeepingOptions {
  /** Age at which the details of ended runs are dropped; undefined keeps them for ever. */
  readonly retentionMs?: number | undefined;
  /** Leaves out what may take long; for a process that is about to leave. */
  readonly briefly?: boolean | undefined;
}

const compactEveryMs = 3_600_000;
const compareEveryMs = 600_000;
const jobsKeptMs = 24 * 3_600_000;
const workersKeptMs = 7 * 24 * 3_600_000;
const runsAtOnce = 200;
const rowsAtOnce = 1000;

export interface HousekeepingHelp {
  /** Decides with nothing to free, which gives up what rules say is not to be kept. */
  readonly giveUpUnwanted: () => Promise<unknown>;
  readonly remember: Remember;
}

export async function keepHouse(
  context: EngineContext,
  leaseMs: number,
  options: HousekeepingOptions,
  { giveUpUnwanted, remember }: HousekeepingHelp,
): Promise<void> {
  const { store, clock } = context;
  const rules = await store.view.keepRules();
  if (rules.some((rule) => rule.effect === 'leaf-quota')) await holdQuotas(context, rules);
  if (rules.some((rule) => rule.effect === 'never-keep')) await giveUpUnwanted();
  const { retentionMs } = options;
  if (retentionMs !== undefined) {
    await whenDue(context, 'history.compactedAt', compactEveryMs, () =>
      compactHistory(
        context,
        leaseMs,
        { endedBefore: clock.now() - retentionMs, mostRuns: runsAtOnce },
        remember,
      ),
    );
  }
  await whenDue(context, 'workers.forgottenAt', compactEveryMs, () => forgetOld(context));
  if (!options.briefly) {
    await whenDue(context, 'storage.comparedAt', compareEveryMs, () => compareWithDisk(context));
  }
}

/** Ended remote jobs, and processes that left, are kept for those who look back, and then forgotten. */
async function forgetOld({ store, clock }: EngineContext): Promise<void> {
  await store.write(async (tx) => {
    await tx.forgetRemoteJobs(clock.now() - jobsKeptMs);
    await tx.forgetWorkers(clock.now() - workersKeptMs);
  });
}

/** Datasets whose files are not there although they should be become misses now, not when somebody needs them (I3). */
export async function compareWithDisk(context: EngineContext): Promise<number> {
  let lost = 0;
  for (let after = 0; ; ) {
    const page = await context.store.view.presentDatasets({ after, limit: rowsAtOnce });
    lost += await loseMissing(context, page);
    const last = page.at(-1);
    if (!last || page.length < rowsAtOnce) return lost;
    after = last.id;
  }
}

async function loseMissing(context: EngineContext, page: readonly PresentDataset[]): Promise<number> {
  const there = page.filter((row) => row.state === 'STORED' || row.state === 'LEAF').map((row) => row.id);
  const rows = (await context.store.view.datasetFactsById(there)).filter((row) => row.location !== null);
  const states = await context.storage.inspectMany(rows.map((row) => row.location as string));
  const missing = rows.filter((_, i) => states[i] === 'missing');
  if (missing.length > 0)
    await context.store.write((tx) => loseDatasets(tx, missing, by(context)), { planning: true });
  return missing.length;
}

async function whenDue(
  { store, clock }: EngineContext,
  setting: string,
  everyMs: number,
  work: () => Promise<unknown>,
): Promise<void> {
  const last = await store.view.setting(setting);
  if (last !== undefined && clock.now() - Number(last) < everyMs) return;
  await store.write((tx) => tx.putSetting(setting, String(clock.now())), { durable: false });
  // Nothing is old in a store that has just been made.
  if (last !== undefined) await work();
}
