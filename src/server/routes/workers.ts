// Workers: orders of operators, and the protocol of workers that are reached over the network.
import type { Input, Output } from '../../api/api.ts';
import type { workerRoutes } from '../../api/contract/workers.ts';
import type { BackendJob } from '../../core/ports/backend.ts';
import type { RemoteJobRow } from '../../core/ports/remote-jobs.ts';
import type { WorkerRow } from '../../core/rows.ts';
import { readTags, tagsText } from '../../core/tags.ts';
import { loseRemoteJobs } from '../../engine/lose-remote-jobs.ts';
import { orderWorker } from '../../engine/order-worker.ts';
import { type Caller, view } from '../caller.ts';
import { serverErrors } from '../error-codes.ts';
import type { Handlers } from '../handlers.ts';
import { appendLog, inputFiles, preparedFiles, replaceOutput } from '../workers/job-files.ts';
import { capacityOf, jobOfWorker, newSession, speakingWorker } from '../workers/worker-session.ts';

type Poll = Input<'pollWork'>;
type Answer = Output<'pollWork'>;
type State = Answer['state'];

export const workerHandlers: Handlers<typeof workerRoutes> = {
  orderWorker: async ({ worker, order }, caller) => {
    const row = await orderWorker(caller.site.varve.engine.context, worker, order);
    return { worker: row.id, name: row.name, state: row.state };
  },

  async registerWorker(given, { site }) {
    const { store, leaseMs } = site.varve;
    const { session, sha256 } = newSession();
    const { cores, memoryBytes, sharedStorage } = given;
    const at = Date.now();
    const id = await store.write(async (tx) => {
      const number = await tx.nextIds('worker', 1);
      await tx.insertWorker({
        id: number,
        state: 'ACTIVE',
        name: `${given.name}:${number}`,
        roles: 'remote',
        host: given.host,
        boot: '',
        pid: given.pid,
        processStarted: '',
        programVersion: given.version,
        capacity: JSON.stringify({ cores, memoryBytes, sharedStorage }),
        doing: null,
        joinedAt: at,
        seenAt: at,
        tags: tagsText(given.tags),
        session: sha256,
        leaveNow: 0,
        leaseUntil: at + leaseMs,
      });
      tx.notify('worker');
      return number;
    });
    return { worker: id, name: `${given.name}:${id}`, session, leaseMs };
  },

  async pollWork(poll, caller) {
    const { store, leaseMs } = caller.site.varve;
    const worker = await speakingWorker(view(caller), poll.worker, poll.workerSession);
    const at = Date.now();
    const alive = await store.write((tx) => tx.heartbeat(worker.id, at, at + leaseMs, poll.doing ?? null), {
      durable: false,
    });
    if (!alive) throw serverErrors.WORKER_GONE(worker.name);
    const first = await standing(caller, worker, poll);
    const waitMs = Math.min(poll.waitMs, Math.floor(leaseMs / 3));
    if (waitMs === 0 || hasNews(first, poll)) return first;
    const jobs = await waitForWork(caller, worker, poll, waitMs);
    const [now] = await view(caller).workers({ ids: [worker.id] });
    const answer = await standing(caller, now ?? worker, poll);
    const known = new Set(answer.jobs.map(({ key }) => key));
    return { ...answer, jobs: [...answer.jobs, ...jobs.filter(({ key }) => !known.has(key)).map(jobShown)] };
  },

  async startJob({ worker: id, job: key, at, workerSession }, caller) {
    const worker = await speakingWorker(view(caller), id, workerSession);
    const started = await caller.site.varve.store.write(
      async (tx) => {
        tx.notify('job');
        return tx.startRemoteJob(key, worker.id, at);
      },
      { durable: false },
    );
    if (!started) throw serverErrors.JOB_NOT_YOURS(key, worker.name);
    return { done: true };
  },

  async endJob({ worker: id, job: key, outcome, workerSession }, caller) {
    const worker = await speakingWorker(view(caller), id, workerSession);
    const text = JSON.stringify(outcome);
    const ended = await caller.site.varve.store.write(async (tx) => {
      tx.notify('job');
      if (await tx.endRemoteJob(key, worker.id, text, Date.now())) return true;
      // A report whose answer got lost comes again.
      const [row] = await tx.remoteJobs([key]);
      return row?.workerId === worker.id && row.outcome === text;
    });
    if (!ended) throw serverErrors.JOB_NOT_YOURS(key, worker.name);
    return { done: true };
  },

  async getJobFiles(request, caller) {
    return preparedFiles(await jobAt(request, caller));
  },

  async getJobInput({ number, range, ...request }, caller) {
    return inputFiles(await jobAt(request, caller), number, range);
  },

  async appendJobLog({ stream, offset, bytes, ...request }, caller) {
    return { sizeBytes: await appendLog(await jobAt(request, caller), stream, offset, bytes) };
  },

  async putJobOutput({ bytes, ...request }, caller) {
    await replaceOutput(await jobAt(request, caller), bytes, () => jobAt(request, caller));
    return { done: true };
  },

  async leaveWorkers({ worker: id, workerSession }, caller) {
    const worker = await speakingWorker(view(caller), id, workerSession);
    const at = Date.now();
    await caller.site.varve.store.write(async (tx) => {
      const left = await tx.move('worker', 'leave', [{ id: worker.id }], { actor: worker.name, at });
      if (left.length === 0) return;
      await loseRemoteJobs(tx, [worker], 'its worker left', at);
      tx.notify('worker');
    });
    return { done: true };
  },
};

interface JobRequest {
  readonly worker: number;
  readonly job: string;
  readonly workerSession: string;
}

async function jobAt({ worker: id, job, workerSession }: JobRequest, caller: Caller): Promise<BackendJob> {
  const worker = await speakingWorker(view(caller), id, workerSession);
  return parseJob(await jobOfWorker(view(caller), worker, job));
}

function parseJob(row: RemoteJobRow): BackendJob {
  return JSON.parse(row.job ?? '{}') as BackendJob;
}

/** What there is to say to a worker now: jobs that it has taken and does not know, cancellations, orders. */
async function standing(caller: Caller, worker: WorkerRow, poll: Poll): Promise<Answer> {
  const taken = await view(caller).remoteJobsOfWorkers([worker.id]);
  const have = new Set(poll.have);
  const keys = new Set(taken.map(({ key }) => key));
  return {
    state: worker.state as State,
    leaveNow: worker.leaveNow === 1,
    jobs: taken.filter(({ key }) => !have.has(key)).map(jobShown),
    cancel: taken.filter(({ cancelRequested }) => cancelRequested === 1).map(({ key }) => key),
    gone: poll.have.filter((key) => !keys.has(key)),
  };
}

function hasNews({ state, leaveNow, jobs, cancel, gone }: Answer, poll: Poll): boolean {
  return (
    jobs.length > 0 ||
    gone.length > 0 ||
    leaveNow ||
    state !== poll.state ||
    cancel.some((key) => !poll.cancelling.includes(key))
  );
}

/** Until there are jobs, orders or cancellations, or the time is over. */
function waitForWork(caller: Caller, worker: WorkerRow, poll: Poll, waitMs: number) {
  const { cores, memoryBytes, sharedStorage } = capacityOf(worker);
  return caller.site.workers.wait({
    claimant: {
      workerId: worker.id,
      tags: new Set(readTags(worker.tags)),
      sharedStorage,
      millicores: Math.round(cores * 1000),
      memoryBytes,
      freeMillicores: Math.round(poll.freeCores * 1000),
      freeMemoryBytes: poll.freeMemoryBytes,
      most: worker.state === 'ACTIVE' ? poll.most : 0,
    },
    waitMs,
    signal: caller.signal,
    state: poll.state,
    cancelling: poll.cancelling,
  });
}

function jobShown(row: RemoteJobRow): Answer['jobs'][number] {
  const { key, directory, argv, env, cwd, stdin, stdout, stderr, resources, ...job } = parseJob(row);
  return {
    key,
    directory,
    argv: [...argv],
    env: { ...env },
    cwd,
    stdin: stdin ?? null,
    stdout,
    stderr,
    cores: resources.cores,
    memoryBytes: resources.memoryBytes ?? null,
    timeoutMs: job.timeoutMs ?? null,
    killGraceMs: job.killGraceMs ?? null,
    priority: job.priority,
    travels: job.travel !== undefined,
    inputs: [...(job.travel?.reads ?? [])],
    returns: [...(job.travel?.returns ?? [])],
  };
}
