// The server itself: who asks, who works, and what happens.
import type { systemRoutes } from '../../api/contract/system.ts';
import type { WorkerRow } from '../../core/rows.ts';
import { readTags } from '../../core/tags.ts';
import { version } from '../../version.ts';
import { view } from '../caller.ts';
import { serverErrors } from '../error-codes.ts';
import type { Handlers } from '../handlers.ts';

export const systemHandlers: Handlers<typeof systemRoutes> = {
  async getSession(_, caller) {
    const { userName, role, own, realms, via } = caller.access;
    const { store } = caller.site.varve;
    return {
      user: userName,
      role,
      projects: [...own],
      seesAll: realms === undefined,
      via,
      version,
      dialect: store.dialect,
      liveRuns: realms === undefined ? (await store.view.liveRuns()).length : 0,
    };
  },

  async listWorkers({ all }, caller) {
    const rows = await view(caller).workers(all ? {} : { live: true });
    return {
      items: rows.map((row) => ({
        worker: row.id,
        name: row.name,
        state: row.state,
        kind: row.session === null ? ('process' as const) : ('remote' as const),
        roles: row.roles.split(',').filter((role) => role !== ''),
        tags: [...readTags(row.tags)],
        host: row.host,
        pid: row.pid,
        version: row.programVersion,
        // It names actions, perhaps of others.
        doing: caller.access.realms === undefined ? row.doing : null,
        ...sizeOf(row),
        joinedAt: row.joinedAt,
        seenAt: row.seenAt,
        leaseUntil: row.leaseUntil,
      })),
    };
  },

  async followEvents({ run, after, lastEventId }, caller) {
    const place = lastEventId === undefined || lastEventId === '' ? after : Number(lastEventId);
    if (place !== undefined && !Number.isSafeInteger(place))
      throw serverErrors.REQUEST_FIELD('Last-Event-ID', 'expected the id of an event');
    const body = caller.site.events.follow({
      access: caller.access,
      run,
      after: place,
      signal: caller.signal,
    });
    return { contentType: 'text/event-stream', body };
  },
};

function sizeOf({ capacity }: WorkerRow): { cores: number | null; memoryBytes: number | null } {
  const known = JSON.parse(capacity ?? '{}') as { cores?: number; memoryBytes?: number };
  return { cores: known.cores ?? null, memoryBytes: known.memoryBytes ?? null };
}
