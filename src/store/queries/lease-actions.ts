// Leases on actions: take, take over, extend, end. Every taking raises the fence, so that an owner whose lease was lost can
// change nothing: its moves carry the fence it knew.
import { ownedActionStates } from '../../core/machines/action.ts';
import type { StoreTransaction } from '../../core/ports/store.ts';
import type { ActionRow } from '../../core/rows.ts';
import type { Session } from '../database.ts';
import { actionTable, journalTable } from '../tables.ts';
import { words } from './words.ts';

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

const owned = words(ownedActionStates);

export function leaseActions(session: Session): ActionLeases {
  const { dialect } = session;
  return {
    async takeActions({ owner, until, now, limit }) {
      const rows = await session.all<ActionRow>(
        `update action set prior = state, state = 'PROCESSING', version = version + 1, owner = $1, lease_until = $2,
          fence = fence + 1, started_at = coalesce(started_at, $3)
          where id in (
            select id from action where state = 'READY' and lease_until <= $3
            order by priority desc, rank, id limit $4${dialect.lockOrSkip})
          returning ${actionTable.select}`,
        [owner, until, now, limit],
      );
      await session.insert(
        'journal',
        journalTable.insertable,
        rows.map((row) => [now, 'action', row.id, row.runId, 'take', 'READY', 'PROCESSING', owner, null]),
      );
      return rows.sort((a, b) => b.priority - a.priority || a.rank - b.rank || a.id - b.id);
    },
    takeOverActions: ({ owner, until, now, limit }) =>
      session.all(
        `update action set version = version + 1, owner = $1, lease_until = $2, fence = fence + 1
          where id in (
            select id from action where state in (${owned}) and lease_until <= $3
            order by lease_until limit $4${dialect.lockOrSkip})
          returning ${actionTable.select}`,
        [owner, until, now, limit],
      ),
    async extendActions({ owner, until }) {
      const rows = await session.all(
        `update action set lease_until = $2 where owner = $1 and state in (${owned}) returning id`,
        [owner, until],
      );
      return rows.length;
    },
    async expireActions(owners, now) {
      const rows = await session.all(
        `update action set lease_until = $2
          where owner in ${dialect.list('$1', 'text')} and state in (${owned}) and lease_until > $2 returning id`,
        [JSON.stringify(owners), now],
      );
      return rows.length;
    },
    async requestCancel(actionIds) {
      await session.all(
        `update action set cancel_requested = 1, version = version + 1 where id in ${dialect.list('$1', 'int')}`,
        [JSON.stringify(actionIds)],
      );
    },
    async lockActions(ids) {
      if (dialect.lock === '') return;
      await session.all(
        `select id from action where id in ${dialect.list('$1', 'int')} order by id${dialect.lock}`,
        [JSON.stringify(ids)],
      );
    },
    async unblocked(actionIds) {
      const rows = await session.all<{ id: number }>(
        `select id from action where id in ${dialect.list('$1', 'int')} and state = 'WAITING'
          and not exists (
            select 1 from edge where edge.holder = 'action' and edge.holder_id = action.id and edge.state = 'WAITING')
          and not exists (
            select 1 from edge where edge.holder = 'join' and edge.holder_id = action.id and edge.state = 'WAITING')`,
        [JSON.stringify(actionIds)],
      );
      return rows.map((row) => row.id);
    },
  };
}
