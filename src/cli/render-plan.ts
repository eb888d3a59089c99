// A plan as a user reads it: what would be done with each action, and why.
import { reasonText } from '../core/reason.ts';
import type { Decision } from '../core/reuse-planner.ts';
import type { RunPlan } from '../engine/submit-run.ts';
import type { Output } from './output.ts';
import { renderTable } from './terminal/table.ts';

const words: Record<Decision['do'], string> = {
  compute: 'compute',
  grow: 'decide later',
  reuse: 'reuse',
  'reuse-members': 'reuse',
  join: 'join',
  twin: 'join',
  leave: 'skip',
  live: 'going on',
  blocked: 'blocked',
};

export function renderPlan({ graph, decisions }: RunPlan, output: Output): void {
  const rows = graph.map((node, i) => {
    const decision = decisions[i] as Decision;
    const why = decision.do === 'live' ? '' : reasonText(decision.reason);
    const code = decision.do === 'live' ? '' : decision.reason.code;
    return {
      action: node.key,
      name: node.node.name,
      plan: words[decision.do],
      code,
      why,
      signature: node.signature,
    };
  });
  output.result(rows, () => {
    const columns = [{ title: 'ACTION' }, { title: 'PLAN' }, { title: 'WHY' }];
    const cells = rows.map((row) => [row.action, row.plan, row.why]);
    const counts = Map.groupBy(rows, (row) => row.plan);
    const total = [...counts].map(([plan, list]) => `${list.length} ${plan}`).join(', ');
    return [...renderTable(columns, cells, output.style, output.columns()), total].join('\n');
  });
}
