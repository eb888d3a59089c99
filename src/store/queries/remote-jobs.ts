// Jobs that are with workers elsewhere: queued once, taken once, ended once.
import type { RemoteJobRow, RemoteJobsView, RemoteJobsWrites } from '../../core/ports/remote-jobs.ts';
import type { Param, Session } from '../database.ts';
import { remoteJobTable } from '../tables.ts';

const { select } = remoteJobTable;

export function readRemoteJobs(session: Session): RemoteJobsView {
  const { among } = session.dialect;
  return {
    remoteJobs: (keys) =>
      session.all(`select ${select} from remote_job where ${among('key', '$1', 'text')}`, [keys]),
    remoteJobNews: (keys) =>
      session.all(
        `select key, state, started_at as "startedAt", outcome from remote_job
          where ${among('key', '$1', 'text')} and (state = 'ENDED' or started_at is not null)`,
        [keys],
      ),
    async remoteLoad() {
      const queued = await session.all<{ tags: string; count: number }>(
        "select tags, count(*) as count from remote_job where state = 'QUEUED' group by tags order by tags",
      );
      const taken = await session.all<{ workerId: number; count: number }>(
        `select worker_id as "workerId", count(*) as count from remote_job where state = 'TAKEN' group by worker_id`,
      );
      return { queued, taken };
    },
    remoteCancels: () =>
      session.all(
        `select key, worker_id as "workerId" from remote_job where state = 'TAKEN' and cancel_requested = 1`,
      ),
    remoteJobsOfWorkers: (workerIds) =>
      session.all(
        `select ${select} from remote_job where state = 'TAKEN' and ${among('worker_id', '$1', 'int')}
          order by queued_at, key`,
        [workerIds],
      ),
  };
}

export function writeRemoteJobs(session: Session): RemoteJobsWrites {
  const { among, lockOrSkip } = session.dialect;
  const ends = `state = 'ENDED', job = null, outcome = $2, ended_at = $3`;
  const changed = async (sql: string, params: readonly Param[]): Promise<boolean> =>
    (await session.all(sql, params)).length === 1;
  return {
    queueRemoteJob: (job) =>
      changed(
        `insert into remote_job (key, state, owner, tags, travels, millicores, memory_bytes, priority, job, queued_at)
          values ($1, 'QUEUED', $2, $3, $4, $5, $6, $7, $8, $9) on conflict (key) do nothing returning key`,
        [
          job.key,
          job.owner,
          job.tags,
          job.travels,
          job.millicores,
          job.memoryBytes,
          job.priority,
          job.job,
          job.queuedAt,
        ],
      ),
    async fenceRemoteJob(key, owner, outcome, at) {
      await session.all(
        `insert into remote_job (key, state, owner, tags, travels, millicores, memory_bytes, priority, queued_at, ended_at,
            outcome) values ($1, 'ENDED', $2, '', 0, 0, 0, 0, $4, $4, $3) on conflict (key) do nothing`,
        [key, owner, outcome, at],
      );
    },
    async adoptRemoteJob(key, owner) {
      await session.all('update remote_job set owner = $2 where key = $1', [key, owner]);
    },
    async queuedRemoteJobs(tags, limit) {
      const found: RemoteJobRow[] = [];
      // One demand at a time, so that the index gives each in order.
      for (const demand of tags) {
        found.push(
          ...(await session.all<RemoteJobRow>(
            `select ${select} from remote_job where state = 'QUEUED' and tags = $1
              order by priority desc, queued_at limit $2${lockOrSkip}`,
            [demand, limit],
          )),
        );
      }
      return found.sort((a, b) => b.priority - a.priority || a.queuedAt - b.queuedAt).slice(0, limit);
    },
    async takeRemoteJobs(keys, workerId) {
      await session.all(
        `update remote_job set state = 'TAKEN', worker_id = $2
          where ${among('key', '$1', 'text')} and state = 'QUEUED'`,
        [keys, workerId],
      );
    },
    async endQueuedRemoteJobs(keys, outcome, at) {
      const rows = await session.all<{ key: string }>(
        `update remote_job set ${ends} where ${among('key', '$1', 'text')} and state = 'QUEUED' returning key`,
        [keys, outcome, at],
      );
      return rows.map((row) => row.key);
    },
    async requestRemoteCancel(key) {
      await session.all(`update remote_job set cancel_requested = 1 where key = $1 and state = 'TAKEN'`, [
        key,
      ]);
    },
    startRemoteJob: (key, workerId, at) =>
      changed(
        `update remote_job set started_at = coalesce(started_at, $3)
          where key = $1 and state = 'TAKEN' and worker_id = $2 returning key`,
        [key, workerId, at],
      ),
    endRemoteJob: (key, workerId, outcome, at) =>
      changed(
        `update remote_job set ${ends} where key = $1 and state = 'TAKEN' and worker_id = $4 returning key`,
        [key, outcome, at, workerId],
      ),
    async endRemoteJobsOf(workerIds, outcome, at) {
      const rows = await session.all(
        `update remote_job set ${ends} where state = 'TAKEN' and ${among('worker_id', '$1', 'int')} returning key`,
        [workerIds, outcome, at],
      );
      return rows.length;
    },
    async forgetRemoteJobs(endedBefore) {
      await session.all("delete from remote_job where state = 'ENDED' and ended_at < $1", [endedBefore]);
    },
  };
}
