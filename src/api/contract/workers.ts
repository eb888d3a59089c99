// Workers: orders of operators, and the protocol of workers that are reached over the network (docs/worker-protocol.md).
import { Type } from 'typebox';
import type { Routes } from '../route.ts';
import { bytes, choice, count, fields, id, model, moment, nullable, text } from './model.ts';

const tag = Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$' });
const key = Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$', description: "the attempt's key" });
const keys = Type.Array(key, { maxItems: 10_000 });
const workerParam = Type.Object({ worker: id });
const jobParams = Type.Object({ worker: id, job: key });
const session = Type.Object({
  workerSession: Type.String({ maxLength: 100, description: 'the secret that registration gave' }),
});
const done = Type.Object({ done: Type.Literal(true) });
const time = Type.Integer({ minimum: 0, maximum: 8_640_000_000_000_000 });

export const remoteJob = model(
  'RemoteJob',
  {
    key: text,
    directory: Type.String({ description: "the attempt's own directory, as the server names it" }),
    argv: Type.Array(text, { description: 'a program with arguments, executed without a shell' }),
    env: Type.Record(text, text, { description: 'the whole environment' }),
    cwd: text,
    stdin: nullable(text),
    stdout: text,
    stderr: text,
    cores: Type.Number(),
    memoryBytes: nullable(Type.Integer()),
    timeoutMs: nullable(Type.Number()),
    killGraceMs: nullable(Type.Number()),
    priority: Type.Integer(),
    travels: Type.Boolean({ description: 'false: only a worker that sees the storage gets it' }),
    inputs: Type.Array(text, {
      description: 'paths to read; the place in the list is the number of the input',
    }),
    returns: Type.Array(text, { description: 'directories to send back, below `directory`' }),
  },
  'A job; every path is one of the server.',
);

const usage = {
  startedAt: time,
  endedAt: time,
  cpuSeconds: Type.Optional(Type.Number({ minimum: 0 })),
  peakMemoryBytes: Type.Optional(bytes),
};

const outcome = Type.Union(
  [
    fields({
      kind: Type.Literal('exited'),
      exitCode: Type.Integer({ minimum: 0, maximum: 255 }),
      signal: Type.Optional(Type.String({ maxLength: 20 })),
      ...usage,
    }),
    fields({ kind: Type.Literal('timeout'), ...usage }),
    fields({
      kind: Type.Literal('cancelled'),
      startedAt: Type.Optional(time),
      endedAt: Type.Optional(time),
      cpuSeconds: Type.Optional(Type.Number({ minimum: 0 })),
      peakMemoryBytes: Type.Optional(bytes),
    }),
    fields({ kind: Type.Literal('lost'), reason: Type.String({ maxLength: 1000 }) }),
  ],
  { description: 'how it ended' },
);

export const workerRoutes = {
  orderWorker: {
    method: 'POST',
    path: '/workers/{worker}/order',
    summary: 'tell a process to pause, resume, drain or exit',
    description:
      'A paused one keeps what it has and takes nothing new. A draining one finishes what it has and leaves. An exiting one leaves at once: processes on its machine go on and are taken over; a worker that is reached over the network ends them and gives the jobs back.',
    role: 'admin',
    params: Type.Object({
      worker: Type.String({ maxLength: 300, description: 'number, name, or a unique beginning of the name' }),
    }),
    body: fields({ order: choice(['pause', 'resume', 'drain', 'exit']) }),
    response: model('OrderedWorker', { worker: id, name: text, state: text }),
    errors: [404, 409],
  },
  registerWorker: {
    method: 'POST',
    path: '/workers',
    summary: 'register a worker that is reached over the network',
    description:
      'The number that it gets is its fencing number: a worker that was declared lost registers again and is another one.',
    role: 'admin',
    body: fields({
      name: Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$' }),
      host: Type.String({ minLength: 1, maxLength: 255 }),
      pid: Type.Integer({ minimum: 0, maximum: 2 ** 31 }),
      version: Type.String({ maxLength: 100 }),
      tags: Type.Array(tag, { maxItems: 100 }),
      cores: Type.Number({ exclusiveMinimum: 0, maximum: 1_000_000 }),
      memoryBytes: bytes,
      sharedStorage: Type.Boolean({ description: 'it sees the storage of the server under the same paths' }),
    }),
    status: 201,
    response: model('RegisteredWorker', {
      worker: id,
      name: text,
      session: Type.String({ description: 'secret; goes with every further request' }),
      leaseMs: Type.Integer({ description: 'a worker that says nothing for so long is lost' }),
    }),
  },
  pollWork: {
    method: 'POST',
    path: '/workers/{worker}/poll',
    summary: 'give a sign of life, and wait for jobs and orders',
    description:
      'Held open until there is something to say, at most for a third of the lease. A worker has one poll open all the time.',
    role: 'admin',
    params: workerParam,
    headers: session,
    body: fields({
      state: choice(['ACTIVE', 'PAUSED', 'DRAINING'], { description: 'as the worker knows it' }),
      have: keys,
      cancelling: keys,
      most: Type.Integer({ minimum: 0, maximum: 1000, description: 'how many jobs it would take now' }),
      freeCores: Type.Number(),
      freeMemoryBytes: Type.Number(),
      waitMs: Type.Integer({ minimum: 0, maximum: 60_000 }),
      doing: Type.Optional(Type.String({ maxLength: 500 })),
    }),
    response: model('PollAnswer', {
      state: choice(['ACTIVE', 'PAUSED', 'DRAINING']),
      leaveNow: Type.Boolean({ description: 'end what runs, give the jobs back, and leave' }),
      jobs: Type.Array(remoteJob),
      cancel: Type.Array(text, { description: 'jobs to stop' }),
      gone: Type.Array(text, { description: 'jobs that are no longer this worker’s: end and forget them' }),
    }),
    errors: [404, 409],
  },
  startJob: {
    method: 'POST',
    path: '/workers/{worker}/jobs/{job}/start',
    summary: 'report that the process of a job runs',
    role: 'admin',
    params: jobParams,
    headers: session,
    body: fields({ at: time }),
    response: done,
    errors: [404, 409],
  },
  endJob: {
    method: 'POST',
    path: '/workers/{worker}/jobs/{job}/end',
    summary: 'report how a job ended, after its outputs and logs were sent',
    role: 'admin',
    params: jobParams,
    headers: session,
    body: fields({ outcome }),
    response: done,
    errors: [404, 409],
  },
  getJobFiles: {
    method: 'GET',
    path: '/workers/{worker}/jobs/{job}/files',
    summary: "download what the server has prepared in the attempt's directory, as tar",
    role: 'admin',
    params: jobParams,
    headers: session,
    download: 'application/x-tar',
    errors: [404, 409],
  },
  getJobInput: {
    method: 'GET',
    path: '/workers/{worker}/jobs/{job}/inputs/{number}',
    summary: 'download one input: a directory as tar, or a file or range of it',
    role: 'admin',
    params: Type.Object({ worker: id, job: key, number: count }),
    headers: Type.Object({ ...session.properties, range: Type.Optional(Type.String({ maxLength: 100 })) }),
    download: 'application/octet-stream',
    errors: [404, 409, 416],
  },
  appendJobLog: {
    method: 'PUT',
    path: '/workers/{worker}/jobs/{job}/logs/{stream}/{offset}',
    summary: 'add to a log; bytes that the server has already are passed over',
    role: 'admin',
    params: Type.Object({
      worker: id,
      job: key,
      stream: choice(['stdout', 'stderr']),
      offset: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
    }),
    headers: session,
    upload: true,
    response: Type.Object({ sizeBytes: bytes }),
    errors: [404, 409],
  },
  putJobOutput: {
    method: 'PUT',
    path: '/workers/{worker}/jobs/{job}/output',
    summary: 'send what the job left in the directories to return, as tar; replaces what was sent before',
    role: 'admin',
    params: jobParams,
    headers: session,
    upload: true,
    response: done,
    errors: [404, 409, 422],
  },
  leaveWorkers: {
    method: 'POST',
    path: '/workers/{worker}/leave',
    summary: 'leave; jobs that have not ended are given to others',
    role: 'admin',
    params: workerParam,
    headers: session,
    response: done,
    errors: [404, 409],
  },
} as const satisfies Routes;

/** What a list shows of a process; see `listWorkers`. */
export const workerModel = model('Worker', {
  worker: id,
  name: text,
  state: text,
  kind: choice(['process', 'remote'], { description: 'on the store itself, or reached over the network' }),
  roles: Type.Array(text),
  tags: Type.Array(text),
  host: text,
  pid: Type.Integer(),
  version: text,
  doing: nullable(text),
  cores: nullable(Type.Number()),
  memoryBytes: nullable(Type.Integer()),
  joinedAt: moment,
  seenAt: moment,
  leaseUntil: moment,
});
