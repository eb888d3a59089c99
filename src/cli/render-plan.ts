// A plan as a user reads it: what would be done with each action, and why.
import type { Output as Answer } from '../api/api.ts';
import type { Output } from './output.ts';
import { renderTable } from './terminal/table.ts';

type PlannedAction = Answer<'planRun'>['items'][number];

const words: Record<PlannedAction['plan'], string> = {
  compute: 'compute',
  grow: 'decide later',
  reuse: 'reuse',
  join: 'join',
  leave: 'skip',
  live: 'going on',
  blocked: 'blocked',
};

export function renderPlan(actions: readonly PlannedAction[], output: Output): void {
  const rows = actions.map((action) => ({ ...action, plan: words[action.plan] }));
  output.result(rows, () => {
    const columns = [{ title: 'ACTION' }, { title: 'PLAN' }, { title: 'WHY' }];
    const cells = rows.map((row) => [row.action, row.plan, row.why]);
    const counts = Map.groupBy(rows, (row) => row.plan);
    const total = [...counts].map(([plan, list]) => `${list.length} ${plan}`).join(', ');
    return [...renderTable(columns, cells, output.style, output.columns()), total].join('\n');
  });
}
