// What was computed and reused, and when.
import { Type } from 'typebox';
import type { Routes } from '../route.ts';
import { actionState } from './actions.ts';
import {
  bytes,
  choice,
  count,
  fields,
  id,
  milliseconds,
  model,
  moment,
  name,
  nullable,
  optionalTime,
  page,
  pageOf,
  signature,
  text,
} from './model.ts';

const member = model('HistoryMember', {
  dataset: signature,
  name: text,
  parents: Type.Array(signature),
  result: Type.Boolean(),
  computed: Type.Boolean(),
  bytes,
  seconds: Type.Number(),
});

const historyRun = model('HistoryRun', {
  seq: id,
  run: id,
  workflow: text,
  user: text,
  submittedAt: moment,
  endedAt: moment,
  datasets: count,
  results: count,
  computed: count,
  reused: count,
  computedMs: milliseconds,
  savedMs: milliseconds,
  paidMs: milliseconds,
  compacted: Type.Boolean(),
  members: Type.Optional(Type.Array(member)),
});

const recentAction = model('RecentAction', {
  id,
  runId: id,
  key: text,
  name: text,
  userName: text,
  state: actionState,
  signature,
  createdAt: moment,
  endedAt: nullable(moment),
});

const of = Type.Optional(choice(['runs', 'actions'], { default: 'runs', description: 'what is counted' }));
const everyMs = Type.Optional(
  Type.Integer({
    minimum: 1,
    maximum: 1_000_000_000_000,
    default: 3_600_000,
    description: 'the length of one stretch of time; compacted history is known by the hour',
  }),
);
const place = Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }));
const before = { before: place };
const after = { after: place };
const period = { from: optionalTime, until: optionalTime };
const filter = { of, ...period, everyMs, name: Type.Optional(name), user: Type.Optional(name) };

const saving = model('Saving', {
  userName: text,
  workflow: text,
  runs: count,
  computedMs: milliseconds,
  savedMs: milliseconds,
  paidMs: milliseconds,
});

const decisionRecord = model('DecisionRecord', {
  id,
  at: moment,
  algorithm: nullable(text),
  refused: nullable(text),
  wantedBytes: Type.Number(),
  freedBytes: Type.Number(),
  shortfallBytes: Type.Number(),
  datasets: count,
  notAdmitted: count,
});

export const historyRoutes = {
  listHistoryRuns: {
    method: 'GET',
    path: '/history/runs',
    summary: 'list ended runs as decisions see them',
    role: 'viewer',
    query: Type.Object({
      order: Type.Optional(choice(['newest', 'oldest'])),
      members: Type.Optional(Type.Boolean({ description: 'every dataset with its parents' })),
      ...before,
      ...after,
      ...page,
    }),
    response: pageOf(historyRun),
  },
  listHistoryActions: {
    method: 'GET',
    path: '/history/actions',
    summary: 'list the last actions, newest first: the rolling window',
    role: 'viewer',
    query: Type.Object({ ...before, ...page }),
    response: pageOf(recentAction),
  },
  countArrivals: {
    method: 'GET',
    path: '/history/counts',
    summary: 'count runs or actions by time',
    role: 'viewer',
    query: Type.Object({ ...filter, ...after, ...page }),
    response: pageOf(Type.Object({ start: moment, count })),
  },
  getArrivalGaps: {
    method: 'GET',
    path: '/history/arrivals',
    summary: 'show how far apart runs or actions arrive',
    role: 'viewer',
    query: Type.Object(filter),
    response: model('ArrivalGaps', {
      count,
      meanMs: milliseconds,
      leastMs: milliseconds,
      mostMs: milliseconds,
      histogram: Type.Array(Type.Object({ gapMs: milliseconds, count })),
    }),
  },
  listCosts: {
    method: 'GET',
    path: '/history/costs',
    summary: 'show mean compute time and size per action name',
    role: 'admin',
    query: Type.Object({ after: Type.Optional(name), ...page }),
    response: pageOf(
      model('ActionCost', {
        name: text,
        samples: Type.Number(),
        meanMs: milliseconds,
        meanBytes: Type.Number(),
      }),
    ),
  },
  listDecisions: {
    method: 'GET',
    path: '/history/decisions',
    summary: 'list decisions: who decided, what was freed, what failed',
    role: 'admin',
    query: Type.Object({
      order: Type.Optional(choice(['newest', 'oldest'], { default: 'oldest' })),
      ...after,
      ...page,
    }),
    response: pageOf(decisionRecord),
  },
  getSavings: {
    method: 'GET',
    path: '/history/savings',
    summary: 'show what reuse saved and what deletions cost, per user and workflow',
    role: 'viewer',
    query: Type.Object(period),
    response: Type.Object({
      items: Type.Array(saving),
      total: Type.Object({
        runs: count,
        computedMs: milliseconds,
        savedMs: milliseconds,
        paidMs: milliseconds,
      }),
    }),
  },
  compactHistory: {
    method: 'POST',
    path: '/history/compaction',
    summary: 'drop the details of old runs; decisions stay the same',
    role: 'admin',
    body: fields({
      olderThanMs: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: 8_000_000_000_000,
          description: 'age instead of history.retention',
        }),
      ),
    }),
    response: Type.Object({ runs: count, datasets: count }),
  },
  exportHistory: {
    method: 'GET',
    path: '/history/export',
    summary: 'download the history in the format of the laboratory',
    role: 'admin',
    download: 'application/x-ndjson',
  },
} as const satisfies Routes;
