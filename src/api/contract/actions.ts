// Actions of runs, their attempts and logs.
import { Type } from 'typebox';
import type { Routes } from '../route.ts';
import {
  anyJson,
  bytes,
  choice,
  count,
  id,
  milliseconds,
  model,
  moment,
  nullable,
  page,
  pageOf,
  runParam,
  signature,
  text,
} from './model.ts';

export const actionState = choice(
  [
    'WAITING',
    'READY',
    'PROCESSING',
    'STAGING',
    'SUBMITTED',
    'RUNNING',
    'DESTAGING',
    'FINISHED',
    'REUSED',
    'SKIPPED',
    'FAILED',
    'KILLED',
  ],
  { title: 'ActionState' },
);

export const actionSummary = model('ActionSummary', {
  action: id,
  run: id,
  key: Type.String({ description: 'the id of the action in the workflow' }),
  name: text,
  type: text,
  state: actionState,
  attempts: count,
  result: Type.Boolean(),
  expands: Type.Boolean({ description: 'decides its actions once its inputs are known' }),
  grownFrom: nullable(id),
  signature,
  code: Type.String({ description: 'why it ran or did not' }),
  why: text,
  readyAt: nullable(moment),
  startedAt: nullable(moment),
  endedAt: nullable(moment),
});

const attempt = model('Attempt', {
  number: id,
  state: text,
  backend: text,
  handle: nullable(text),
  worker: text,
  submittedAt: moment,
  startedAt: nullable(moment),
  endedAt: nullable(moment),
  exitCode: nullable(Type.Integer()),
  signal: nullable(text),
  cpuMs: nullable(milliseconds),
  peakBytes: nullable(bytes),
  error: anyJson,
});

const input = model('ActionInput', {
  slot: text,
  position: text,
  dataset: nullable(signature),
  name: nullable(text),
  state: Type.String({ description: 'WAITING, HELD or RELEASED' }),
  action: nullable(Type.Integer({ description: 'the action of this run that makes it' })),
});

const actionDetail = model('Action', {
  ...actionSummary.properties,
  priority: Type.Integer(),
  cancelRequested: Type.Boolean(),
  definition: anyJson,
  error: anyJson,
  dataset: nullable(
    Type.Object(
      {
        dataset: signature,
        state: text,
        sizeBytes: nullable(bytes),
        fileCount: nullable(count),
        digest: nullable(text),
      },
      { description: 'what it produces' },
    ),
  ),
  inputs: Type.Array(input),
  tries: Type.Array(attempt),
});

export const actionRoutes = {
  listActions: {
    method: 'GET',
    path: '/runs/{run}/actions',
    summary: 'list the actions of a run, in the order of planning',
    role: 'viewer',
    params: runParam,
    query: Type.Object({
      state: Type.Optional(Type.Array(actionState, { maxItems: 12 })),
      key: Type.Optional(Type.String({ maxLength: 4096, description: 'only the action with this id' })),
      ...page,
    }),
    response: pageOf(actionSummary),
  },
  getAction: {
    method: 'GET',
    path: '/actions/{action}',
    summary: 'show an action: definition, inputs, output, attempts, error',
    role: 'viewer',
    params: Type.Object({ action: id }),
    response: actionDetail,
  },
  readLog: {
    method: 'GET',
    path: '/actions/{action}/attempts/{attempt}/logs/{stream}',
    summary: 'read what an attempt wrote: whole, a range, or as it grows',
    description:
      'With `follow=true` the answer goes on until the attempt has ended. A range beyond the end of a log that still grows is empty. Attempt 0 is the last one.',
    role: 'viewer',
    params: Type.Object({
      action: id,
      attempt: Type.Integer({ minimum: 0, maximum: 1_000_000_000 }),
      stream: choice(['stdout', 'stderr']),
    }),
    query: Type.Object({
      follow: Type.Optional(Type.Boolean()),
      offset: Type.Optional(
        Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description: 'first byte' }),
      ),
    }),
    headers: Type.Object({ range: Type.Optional(Type.String({ maxLength: 100 })) }),
    download: 'text/plain; charset=utf-8',
  },
} as const satisfies Routes;
