// Reading actions and attempts.
import { ownedActionStates } from '../../core/machines/action.ts';
import type { StoreView } from '../../core/ports/store.ts';
import type { Session } from '../database.ts';
import { actionTable, attemptTable } from '../tables.ts';
import { words } from './words.ts';

type ActionReads = Pick<
  StoreView,
  | 'actions'
  | 'actionsByKey'
  | 'actionsOfRun'
  | 'actionsOfDatasets'
  | 'ownedActions'
  | 'nextDue'
  | 'attempts'
  | 'attemptsByKey'
  | 'dispatchClock'
>;

export function readActions(session: Session): ActionReads {
  const { dialect } = session;
  return {
    actions: (ids) =>
      session.all(
        `select ${actionTable.select} from action where id in ${dialect.list('$1', 'int')} order by id`,
        [JSON.stringify(ids)],
      ),
    actionsByKey: (runId, keys) =>
      session.all(
        `select ${actionTable.select} from action where run_id = $1 and key in ${dialect.list('$2', 'text')} order by id`,
        [runId, JSON.stringify(keys)],
      ),
    actionsOfRun: (runId, options = {}) =>
      session.all(
        `select ${actionTable.select} from action where run_id = $1 and id > $2
          ${options.states ? `and state in (${words(options.states)})` : ''} order by id limit $3`,
        [runId, options.after ?? 0, options.limit ?? 1_000_000_000],
      ),
    actionsOfDatasets: (datasetIds, limit) =>
      session.all(
        `select ${actionTable.select} from action where dataset_id in ${dialect.list('$1', 'int')} order by id desc limit $2`,
        [JSON.stringify(datasetIds), limit],
      ),
    ownedActions: (owner) =>
      session.all(
        `select ${actionTable.select} from action where owner = $1 and state in (${words(ownedActionStates)}) order by id`,
        [owner],
      ),
    async nextDue() {
      const rows = await session.all<{ due: number | null }>(
        `select min(due) as due from (
          select min(lease_until) as due from action where state in (${words(ownedActionStates)})
          union all
          select min(lease_until) from action where state = 'READY' and lease_until > 0) as dues`,
      );
      return rows[0]?.due ?? undefined;
    },
    attempts: (actionIds) =>
      session.all(
        `select ${attemptTable.select} from attempt where action_id in ${dialect.list('$1', 'int')}
          order by action_id, number`,
        [JSON.stringify(actionIds)],
      ),
    attemptsByKey(keys) {
      const actionIds = keys.map((key) => Number.parseInt(key, 10)).filter(Number.isInteger);
      return session.all(
        `select ${attemptTable.select} from attempt
          where action_id in ${dialect.list('$1', 'int')} and key in ${dialect.list('$2', 'text')}`,
        [JSON.stringify(actionIds), JSON.stringify(keys)],
      );
    },
    async dispatchClock() {
      const rows = await session.all<{ value: number }>("select value from counter where name = 'dispatch'");
      return rows[0]?.value ?? 0;
    },
  };
}
