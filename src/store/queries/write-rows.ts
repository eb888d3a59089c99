// Births of rows, ids, counters, workers and settings.
import type { MachineName } from '../../core/machines/all.ts';
import type { StoreTransaction } from '../../core/ports/store.ts';
import { oneOf } from '../one-of.ts';
import { actionTable, attemptTable, runDocumentTable, runTable, workerTable } from '../tables.ts';
import type { WriteScope } from '../write-scope.ts';
import { setColumns } from './set-columns.ts';

type RowWrites = Pick<
  StoreTransaction,
  | 'nextIds'
  | 'lockPlanning'
  | 'insertRun'
  | 'insertActions'
  | 'insertAttempts'
  | 'note'
  | 'setActionColumns'
  | 'setAttemptHandle'
  | 'setRunColumns'
  | 'advanceDispatchClock'
  | 'insertWorker'
  | 'setWorkerColumns'
  | 'forgetWorkers'
  | 'heartbeat'
  | 'putSetting'
  | 'putFileDigests'
>;

const fileDigestColumns = { key: 'text', sha256: 'text', size_bytes: 'int', seen_at: 'int' } as const;
/** Any fixed number; tells the planners' lock from others. */
const planningLock = 7_243_118;

/** Waits for the planners' lock, unless the transaction has it already. */
export async function lockPlanning({ session, outbox }: WriteScope): Promise<void> {
  if (session.dialect.lockNumber === '' || outbox.planningLocked) return;
  await session.all(session.dialect.lockNumber, [planningLock]);
  outbox.planningLocked = true;
}

export function writeRows(scope: WriteScope): RowWrites {
  const { session } = scope;
  const { dialect } = session;
  return {
    nextIds: (kind: MachineName, count: number) => session.reserve(kind, count),
    lockPlanning: () => lockPlanning(scope),
    async insertRun(run) {
      await session.insert('run', runTable.insertable, [runTable.values(run)]);
      const document = runDocumentTable.values({ ...run, runId: run.id });
      await session.insert('run_document', runDocumentTable.insertable, [document]);
    },
    insertActions: (actions) =>
      session.insert('action', actionTable.insertable, actions.map(actionTable.values)),
    insertAttempts: (attempts) =>
      session.insert('attempt', attemptTable.insertable, attempts.map(attemptTable.values)),
    async note(machine, entityId, runId, event, detail, { at, actor }) {
      scope.outbox.addJournal([at, machine, entityId, runId, event, '', '', actor, JSON.stringify(detail)]);
    },
    setActionColumns: (id, set) => setColumns(session, 'action', id, set),
    setRunColumns: (id, set) => setColumns(session, 'run', id, set),
    async setAttemptHandle(id, handle) {
      await session.all('update attempt set handle = $2 where id = $1', [id, handle]);
    },
    async advanceDispatchClock(rank) {
      // Passed over while somebody else advances it: takers do not wait for each other, and his rank is as good.
      await session.all(
        `update counter set value = $1 where name in (
          select name from counter where name = 'dispatch' and value < $1${dialect.lockOrSkip})`,
        [rank],
      );
    },
    insertWorker: (worker) => session.insert('worker', workerTable.insertable, [workerTable.values(worker)]),
    async forgetWorkers(seenBefore) {
      await session.all(`delete from worker where ${oneOf('state', ['GONE', 'LOST'])} and seen_at < $1`, [
        seenBefore,
      ]);
    },
    setWorkerColumns: (id, set) => setColumns(session, 'worker', id, set),
    async heartbeat(id, now, leaseUntil, doing) {
      const rows = await session.all(
        `update worker set seen_at = $2, lease_until = $3, doing = $4
          where id = $1 and ${oneOf('state', ['ACTIVE', 'PAUSED', 'DRAINING'])} returning id`,
        [id, now, leaseUntil, doing],
      );
      return rows.length === 1;
    },
    async putSetting(key, value) {
      await session.all(
        'insert into setting (key, value) values ($1, $2) on conflict (key) do update set value = excluded.value',
        [key, value],
      );
    },
    async putFileDigests(entries, at) {
      await session.all(`delete from file_digest where ${dialect.among('key', '$1', 'text')}`, [
        entries.map((entry) => entry.key),
      ]);
      await session.insert(
        'file_digest',
        fileDigestColumns,
        entries.map((entry) => [entry.key, entry.sha256, entry.sizeBytes, at]),
        { ignoreExisting: true },
      );
    },
  };
}
