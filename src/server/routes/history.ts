// What was computed and reused, and when.
import type { Output } from '../../api/api.ts';
import type { historyRoutes } from '../../api/contract/history.ts';
import type { ArrivalFilter } from '../../core/ports/history.ts';
import { compactHistory } from '../../engine/compact-history.ts';
import { engineErrors } from '../../engine/error-codes.ts';
import { type HistoryRun, historyMembers, listHistory, refreshHistory } from '../../engine/history-api.ts';
import { listDecisions } from '../../engine/list-decisions.ts';
import { writeHistory } from '../../lab/history-file.ts';
import { type Caller, requireSeesAll, view } from '../caller.ts';
import { fromCursor, fromTextCursor, toCursor } from '../cursor.ts';
import { serverErrors } from '../error-codes.ts';
import type { Handlers } from '../handlers.ts';
import { siteHistory } from '../site-history.ts';

const everyHour = 3_600_000;

export const historyHandlers: Handlers<typeof historyRoutes> = {
  async listHistoryRuns({ order, members, after, before, cursor, limit = 50 }, caller) {
    await refresh(caller);
    const place = fromCursor('history', cursor);
    const upwards = order === 'oldest' || (order === undefined && after !== undefined);
    const page = upwards ? { after: place ?? after ?? 0 } : { before: place ?? before };
    const { realms } = caller.access;
    const runs = await listHistory(view(caller), { ...page, realms, limit });
    const next = runs.length < limit ? undefined : runs.at(-1)?.seq;
    const items = members ? await withMembers(runs, caller) : runs.map((run) => ({ ...run }));
    return { items, next: toCursor('history', next) };
  },

  async listHistoryActions({ cursor, limit = 50, ...input }, caller) {
    const before = fromCursor('recent', cursor) ?? input.before;
    const { realms } = caller.access;
    const rows = await view(caller).recentActions({
      limit,
      realms,
      ...(before === undefined ? {} : { before }),
    });
    const next = rows.length < limit ? undefined : rows.at(-1)?.id;
    const items = rows.map(({ datasetId: _, ...row }) => ({ ...row }));
    return { items, next: toCursor('recent', next) };
  },

  async countArrivals({ everyMs = everyHour, cursor, limit = 50, ...input }, caller) {
    const after = fromCursor('counts', cursor) ?? input.after;
    const items = await view(caller).countArrivals({
      ...arrivals(input, caller),
      resolutionMs: everyMs,
      limit,
      ...(after === undefined ? {} : { after }),
    });
    const next = items.length < limit ? undefined : items.at(-1)?.start;
    return { items: items.map((item) => ({ ...item })), next: toCursor('counts', next) };
  },

  async getArrivalGaps({ everyMs = everyHour, ...input }, caller) {
    const gaps = await view(caller).arrivalGaps({ ...arrivals(input, caller), resolutionMs: everyMs });
    return { ...gaps, histogram: gaps.histogram.map((one) => ({ ...one })) };
  },

  async listCosts({ cursor, limit = 50, ...input }, caller) {
    await refresh(caller);
    const after = fromTextCursor('costs', cursor) ?? input.after;
    const items = await view(caller).actionCosts(after === undefined ? { limit } : { after, limit });
    const next = items.length < limit ? undefined : items.at(-1)?.name;
    return { items: items.map((item) => ({ ...item })), next: toCursor('costs', next) };
  },

  async listDecisions({ order = 'oldest', after = 0, cursor, limit = 50 }, caller) {
    requireSeesAll(caller);
    const place = fromCursor('decisions', cursor);
    const range =
      order === 'oldest' ? { after: place ?? after } : { after, before: place ?? Number.MAX_SAFE_INTEGER };
    const items = await listDecisions(view(caller), { ...range, limit });
    const next = items.length < limit ? undefined : items.at(-1)?.id;
    return { items: items.map((item) => ({ ...item })), next: toCursor('decisions', next) };
  },

  async getSavings({ from = 0, until = Number.MAX_SAFE_INTEGER }, caller) {
    await refresh(caller);
    const items = await view(caller).savings({ from, until, realms: caller.access.realms });
    const total = { runs: 0, computedMs: 0, savedMs: 0, paidMs: 0 };
    for (const row of items) {
      total.runs += row.runs;
      total.computedMs += row.computedMs;
      total.savedMs += row.savedMs;
      total.paidMs += row.paidMs;
    }
    return { items: items.map((item) => ({ ...item })), total };
  },

  async compactHistory({ olderThanMs }, caller) {
    const { engine, config, leaseMs } = caller.site.varve;
    const age = olderThanMs ?? config.history.retention;
    if (age === undefined) throw serverErrors.NO_RETENTION();
    const done = await compactHistory(engine.context, leaseMs, { endedBefore: Date.now() - age });
    if (!done) throw engineErrors.DECISIONS_BUSY();
    return { ...done };
  },

  async exportHistory(_, caller) {
    const history = await siteHistory(caller.site.varve);
    const lines = async function* (): AsyncGenerator<Uint8Array> {
      for (const line of writeHistory(history)) yield Buffer.from(`${line}\n`);
    };
    return { contentType: 'application/x-ndjson', body: lines(), fileName: 'history.jsonl' };
  },
};

async function refresh({ site }: Caller): Promise<void> {
  await refreshHistory(site.varve.engine.context, site.varve.leaseMs);
}

interface ArrivalInput {
  readonly of?: 'runs' | 'actions' | undefined;
  readonly from?: number | undefined;
  readonly until?: number | undefined;
  readonly name?: string | undefined;
  readonly user?: string | undefined;
}

/** Counts per hour know users, not projects: who may not see everything sees their own. */
function arrivals({ of = 'runs', from = 0, until, name, user }: ArrivalInput, caller: Caller): ArrivalFilter {
  const { realms, userName } = caller.access;
  return {
    of,
    from,
    until: until ?? Number.MAX_SAFE_INTEGER,
    name,
    userName: realms === undefined ? user : userName,
  };
}

async function withMembers(
  runs: readonly HistoryRun[],
  caller: Caller,
): Promise<Output<'listHistoryRuns'>['items']> {
  const events = await view(caller).historyOfRuns(runs.map((one) => one.run));
  const byRun = new Map(events.map((event) => [event.runId, event]));
  const listed: Output<'listHistoryRuns'>['items'] = [];
  for (const one of runs) {
    const event = byRun.get(one.run);
    const members = event ? await historyMembers(view(caller), event) : [];
    listed.push({
      ...one,
      members: members.map((member) => ({ ...member, parents: [...member.parents] })),
    });
  }
  return listed;
}
