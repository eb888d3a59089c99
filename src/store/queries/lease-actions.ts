// Leases on actions: take, take over, extend, end. Every taking raises the fence, so that an owner whose lease was lost can
// change nothing: its moves carry the fence it knew.
import { ownedActionStates } from '../../core/machines/action.ts';
import { liveAttemptStates } from '../../core/machines/attempt.ts';
import type { StoreTransaction } from '../../core/ports/store.ts';
import type { ActionRow } from '../../core/rows.ts';
import { oneOf } from '../one-of.ts';
import { actionTable } from '../tables.ts';
import type { WriteScope } from '../write-scope.ts';
import { lockRows } from './lock-rows.ts';

type ActionLeases = Pick<
  StoreTransaction,
  | 'takeActions'
  | 'takeOverActions'
  | 'extendActions'
  | 'expireActions'
  | 'requestCancel'
  | 'lockActions'
  | 'unblocked'
>;

const owned = oneOf('state', ownedActionStates);
/** Not running on another machine whose processes may still come back. */
const notSpared = `(lease_until <= $6 or not exists (
  select 1 from attempt where attempt.action_id = action.id and ${oneOf('attempt.state', liveAttemptStates)}
    and attempt.handle like 'local:%' and attempt.handle <> $5))`;
const inOrder = 'order by priority desc, rank, id';

export function leaseActions(scope: WriteScope): ActionLeases {
  const { session } = scope;
  const { among, lockOrSkip } = session.dialect;
  return {
    async takeActions({ owner, until, now, limit, tags = '' }) {
      const rows = await session.all<ActionRow>(
        `with free as materialized (
            select id, priority, rank from action where state = 'READY' and lease_until = 0 and tags = $5
            ${inOrder} limit $4${lockOrSkip}),
          due as materialized (
            select id, priority, rank from action where state = 'READY' and lease_until > 0 and lease_until <= $3
              and tags = $5
            order by lease_until limit $4${lockOrSkip}),
          picked as materialized (
            select id from (select * from free union all select * from due) as candidates ${inOrder} limit $4)
        update action set prior = state, state = 'PROCESSING', version = version + 1, owner = $1, lease_until = $2,
          fence = fence + 1, started_at = coalesce(started_at, $3)
          where id in (select id from picked) returning ${actionTable.select}`,
        [owner, until, now, limit, tags],
      );
      for (const { id, runId } of rows) {
        scope.outbox.addJournal([now, 'action', id, runId, 'take', 'READY', 'PROCESSING', owner, null]);
      }
      return rows.sort((a, b) => b.priority - a.priority || a.rank - b.rank || a.id - b.id);
    },
    takeOverActions: ({ owner, until, now, limit, spare }) =>
      session.all(
        `with picked as materialized (
            select id from action where ${owned} and lease_until <= $3 ${spare ? `and ${notSpared}` : ''}
            order by lease_until limit $4${lockOrSkip})
        update action set version = version + 1, owner = $1, lease_until = $2, fence = fence + 1
          where id in (select id from picked) returning ${actionTable.select}`,
        [owner, until, now, limit, ...(spare ? [spare.handle, spare.since] : [])],
      ),
    async extendActions({ owner, until }) {
      const rows = await session.all(
        `update action set lease_until = $2 where owner = $1 and ${owned} returning id`,
        [owner, until],
      );
      return rows.length;
    },
    async expireActions(owners, now) {
      const rows = await session.all(
        `update action set lease_until = $2
          where ${among('owner', '$1', 'text')} and ${owned} and lease_until > $2 returning id`,
        [owners, now],
      );
      return rows.length;
    },
    async requestCancel(actionIds) {
      await session.all(
        `update action set cancel_requested = 1, version = version + 1 where ${among('id', '$1', 'int')}`,
        [actionIds],
      );
    },
    lockActions: (ids) => lockRows(session, 'action', ids),
    async unblocked(actionIds) {
      const rows = await session.all<{ id: number }>(
        `select id from action where ${among('id', '$1', 'int')} and state = 'WAITING' and not exists (
            select 1 from edge where edge.holder_id = action.id and edge.state = 'WAITING'
              and ${oneOf('edge.holder', ['action', 'join'])}) order by id`,
        [actionIds],
      );
      return rows.map((row) => row.id);
    },
  };
}
