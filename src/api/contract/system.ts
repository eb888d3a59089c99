// The server itself: who asks, who works, and what happens.
import { Type } from 'typebox';
import { type Routes, roles } from '../route.ts';
import { choice, count, id, model, moment, nullable, text } from './model.ts';
import { workerModel } from './workers.ts';

export const roleSchema = choice(roles, { title: 'Role' });

export const systemRoutes = {
  getSession: {
    method: 'GET',
    path: '/session',
    summary: 'say who asks, what they may do, and what server this is',
    role: 'viewer',
    response: model('Session', {
      user: text,
      role: roleSchema,
      projects: Type.Array(text, { description: 'what the user may see; the first is the default' }),
      seesAll: Type.Boolean(),
      via: choice(['local', 'token', 'login']),
      version: text,
      dialect: text,
      liveRuns: count,
    }),
  },
  listWorkers: {
    method: 'GET',
    path: '/workers',
    summary: 'list the processes that share the store and what they are doing',
    role: 'viewer',
    query: Type.Object({ all: Type.Optional(Type.Boolean({ description: 'also those that left' })) }),
    response: Type.Object({ items: Type.Array(workerModel) }),
  },
  followEvents: {
    method: 'GET',
    path: '/events',
    summary: 'follow what happens, as server-sent events from the journal',
    description:
      'Each event has the id of its journal row; a client that reconnects with Last-Event-ID misses nothing. An event `reset` says that too much has happened since: read the lists again. Event names are run, action, attempt, dataset and worker; the data is an Event.',
    role: 'viewer',
    query: Type.Object({
      run: Type.Optional(id),
      after: Type.Optional(
        Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description: 'as Last-Event-ID' }),
      ),
    }),
    headers: Type.Object({ lastEventId: Type.Optional(Type.String({ maxLength: 20 })) }),
    download: 'text/event-stream',
  },
} as const satisfies Routes;

/** The data of a server-sent event. */
export const eventData = model('Event', {
  id,
  at: moment,
  kind: choice(['run', 'action', 'attempt', 'dataset', 'worker']),
  entity: Type.Integer({ description: 'number of the run, action, attempt, dataset or worker' }),
  run: nullable(id),
  dataset: Type.Optional(Type.String({ description: 'signature, for events of datasets' })),
  event: text,
  from: text,
  to: text,
});
