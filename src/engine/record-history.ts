// Records ended runs in the history that decisions learn from: once each, in the order in which they are found to have ended, in a form
// that outlives their actions. Whoever needs the history records what is missing first; a lease keeps it to one process.
import { encodeIds } from '../core/id-ranges.ts';
import type { ActionCost, EndedRun, NewHistoryEvent, RunMember } from '../core/ports/history.ts';
import type { StoreView } from '../core/ports/store.ts';
import { parseReason } from '../core/reason.ts';
import type { DecisionLease } from './decision-lease.ts';

/** All runs up to this id are recorded. */
const floorSetting = 'history.floor';
const runsAtOnce = 50;

export interface RecordedRun {
  readonly event: NewHistoryEvent;
  readonly costs: readonly ActionCost[];
}

/** Records every ended run that is not recorded yet; returns how many. */
export async function recordHistory(view: StoreView, lease: DecisionLease): Promise<number> {
  let recorded = 0;
  for (;;) {
    const floor = Number((await view.setting(floorSetting)) ?? 0);
    const runs = await view.unrecordedRuns({ after: floor, limit: runsAtOnce });
    if (runs.length === 0) return recorded;
    const described: RecordedRun[] = [];
    for (const run of runs) described.push(await describeRun(view, run));
    const done = await lease.write(async (tx) => {
      await tx.appendHistory(described.map(({ event }) => event));
      await tx.addCosts(mergeCosts(described.flatMap(({ costs }) => costs)));
      const next = await tx.firstUnrecordedRun(floor);
      const last = Math.max(...runs.map((run) => run.id));
      await tx.putSetting(floorSetting, String(next === undefined ? Math.max(floor, last) : next - 1));
      return true;
    });
    if (!done) return recorded;
    recorded += runs.length;
    if (runs.length < runsAtOnce) return recorded;
  }
}

/** What a run had to do with which datasets, and what its computations cost. */
export async function describeRun(view: StoreView, run: EndedRun): Promise<RecordedRun> {
  const members = await view.runMembers(run);
  const datasets = new Set<number>();
  const results = new Set<number>();
  const computed = new Set<number>();
  const forced = new Set<number>();
  const totals = { computedCount: 0, reusedCount: 0, computedMs: 0, savedMs: 0, paidMs: 0 };
  const costs: ActionCost[] = [];
  for (const member of members) {
    // A dataset that was never computed has no size; it will be known when it is.
    if (member.expands === 1 || member.datasetId === null || member.sizeBytes === null) continue;
    datasets.add(member.datasetId);
    if (member.result === 1) results.add(member.datasetId);
    const fate = fateOf(member);
    const ms = member.computeMs ?? 0;
    if (fate === 'computed' || fate === 'joined') computed.add(member.datasetId);
    if (fate === 'reused' || fate === 'joined') {
      totals.reusedCount += 1;
      totals.savedMs += ms;
    }
    if (fate !== 'computed') continue;
    totals.computedCount += 1;
    totals.computedMs += ms;
    const { code } = parseReason(member.reason);
    if (code === 'DELETED') totals.paidMs += ms;
    if (code === 'FORCED' || code === 'PARENT_FORCED' || member.managed === 0) forced.add(member.datasetId);
    costs.push({ name: member.name, samples: 1, meanMs: ms, meanBytes: member.sizeBytes });
  }
  for (const { datasetId, result } of await view.runDatasets(run.id)) {
    datasets.add(datasetId);
    if (result === 1) results.add(datasetId);
  }
  const event: NewHistoryEvent = {
    kind: 'run',
    at: run.endedAt ?? run.submittedAt,
    runId: run.id,
    workflow: run.name,
    userName: run.userName,
    realm: run.realm,
    submittedAt: run.submittedAt,
    datasets: encodeIds(datasets),
    results: encodeIds(results),
    computed: encodeIds(computed),
    forced: encodeIds(forced),
    ...totals,
  };
  return { event, costs: mergeCosts(costs) };
}

type Fate = 'computed' | 'joined' | 'reused' | 'other';

function fateOf(member: RunMember): Fate {
  if (member.state === 'FINISHED') return 'computed';
  const { code } = parseReason(member.reason);
  if (member.state === 'REUSED') return code === 'JOINED' ? 'joined' : 'reused';
  return member.state === 'SKIPPED' && code === 'NOT_NEEDED' ? 'reused' : 'other';
}

function mergeCosts(costs: readonly ActionCost[]): ActionCost[] {
  const merged = new Map<string, { samples: number; ms: number; bytes: number }>();
  for (const { name, samples, meanMs, meanBytes } of costs) {
    const sum = merged.get(name) ?? { samples: 0, ms: 0, bytes: 0 };
    sum.samples += samples;
    sum.ms += meanMs * samples;
    sum.bytes += meanBytes * samples;
    merged.set(name, sum);
  }
  return [...merged].map(([name, { samples, ms, bytes }]) => ({
    name,
    samples,
    meanMs: ms / samples,
    meanBytes: bytes / samples,
  }));
}
