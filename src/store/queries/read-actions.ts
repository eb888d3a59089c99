// Reading actions and attempts.
import { actionMachine, ownedActionStates } from '../../core/machines/action.ts';
import { statesOf } from '../../core/machines/machine.ts';
import type { StoreView } from '../../core/ports/store.ts';
import type { Session } from '../database.ts';
import { oneOf } from '../one-of.ts';
import { actionTable, attemptTable } from '../tables.ts';
import { byState } from './by-state.ts';
import { inParts } from './in-parts.ts';

type ActionReads = Pick<
  StoreView,
  | 'actions'
  | 'actionsByKey'
  | 'actionsOfRun'
  | 'actionsOfDatasets'
  | 'ownedActions'
  | 'demandedTags'
  | 'nextDue'
  | 'endedActions'
  | 'attempts'
  | 'attemptsByKey'
  | 'dispatchClock'
>;

const owned = oneOf('state', ownedActionStates);
const endedColumns = `id, run_id as "runId", name, state, signature, dataset_id as "datasetId",
  started_at as "startedAt", ended_at as "endedAt"`;

export function readActions(session: Session): ActionReads {
  const { among } = session.dialect;
  return {
    actions: (ids) =>
      inParts(ids, (part) =>
        session.all(
          `select ${actionTable.select} from action where ${among('id', '$1', 'int')} order by id`,
          [part],
        ),
      ),
    actionsByKey: (runId, keys) =>
      session.all(
        `select ${actionTable.select} from action where run_id = $1 and ${among('key', '$2', 'text')} order by id`,
        [runId, keys],
      ),
    actionsOfRun: (runId, options = {}) =>
      session.all(
        byState({
          select: actionTable.select,
          table: 'action',
          states: options.states ?? statesOf(actionMachine),
          conditions: ['run_id = $1', 'id > $2'],
          order: 'asc',
          limit: '$3',
        }),
        [runId, options.after ?? 0, options.limit ?? 1_000_000_000],
      ),
    actionsOfDatasets: (datasetIds, limit) =>
      session.all(
        `select ${actionTable.select} from action where ${among('dataset_id', '$1', 'int')} order by id desc limit $2`,
        [datasetIds, limit],
      ),
    ownedActions: (owner) =>
      session.all(`select ${actionTable.select} from action where owner = $1 and ${owned} order by id`, [
        owner,
      ]),
    async demandedTags(now) {
      // Steps from one demand to the next along the index, however many actions share it.
      const waiting = "state = 'READY' and lease_until = 0 and tags >";
      const rows = await session.all<{ tags: string }>(
        `with recursive demand(tags) as (
            select (select min(tags) from action where ${waiting} '')
            union all
            select (select min(tags) from action where ${waiting} demand.tags) from demand where demand.tags is not null)
          select tags from demand where tags is not null
          union
          select tags from action where state = 'READY' and lease_until > 0 and lease_until <= $1 and tags > ''
          order by tags`,
        [now],
      );
      return rows.map((row) => row.tags);
    },
    async nextDue() {
      const rows = await session.all<{ due: number | null }>(
        `select min(due) as due from (
          select min(lease_until) as due from action where ${owned}
          union all
          select min(lease_until) from action where state = 'READY' and lease_until > 0) as dues`,
      );
      return rows[0]?.due ?? undefined;
    },
    endedActions: ({ from = 0, until = Number.MAX_SAFE_INTEGER, limit }) =>
      session.all(
        `select ${endedColumns} from action where ended_at is not null and ended_at >= $1 and ended_at < $2
          order by ended_at desc, id desc limit $3`,
        [from, until, limit],
      ),
    attempts: (actionIds) =>
      session.all(
        `select ${attemptTable.select} from attempt where ${among('action_id', '$1', 'int')}
          order by action_id, number`,
        [actionIds],
      ),
    attemptsByKey(keys) {
      const actionIds = keys.map((key) => Number.parseInt(key, 10)).filter(Number.isInteger);
      return session.all(
        `select ${attemptTable.select} from attempt
          where ${among('action_id', '$1', 'int')} and ${among('key', '$2', 'text')}`,
        [actionIds, keys],
      );
    },
    async dispatchClock() {
      const rows = await session.all<{ value: number }>("select value from counter where name = 'dispatch'");
      return rows[0]?.value ?? 0;
    },
  };
}
