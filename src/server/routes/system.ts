// The server itself: who asks, who works, and what happens.
import type { systemRoutes } from '../../api/contract/system.ts';
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
        roles: row.roles.split(',').filter((role) => role !== ''),
        host: row.host,
        pid: row.pid,
        version: row.programVersion,
        doing: row.doing,
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
