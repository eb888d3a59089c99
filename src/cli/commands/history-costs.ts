// `varve history costs`: mean compute time and size per action name.
import { formatBytes, formatDuration } from '../../core/units.ts';
import { refreshHistory } from '../../engine/history-api.ts';
import type { CommandRun } from '../command-table.ts';
import { withVarve } from '../session.ts';
import { renderTable } from '../terminal/table.ts';

export const run: CommandRun<'history costs'> = ({ options }, context) =>
  withVarve(context, async (varve) => {
    await refreshHistory(varve.engine.context, varve.leaseMs);
    const { after, limit } = options;
    const costs = await varve.store.view.actionCosts(after === undefined ? { limit } : { after, limit });
    const next = costs.length < limit ? null : (costs.at(-1)?.name ?? null);
    const { output } = context;
    output.result({ costs: costs.map((cost) => ({ ...cost })), next }, () => {
      if (costs.length === 0) return 'nothing was computed yet';
      const columns = ['ACTION', 'COMPUTED', 'TIME', 'SIZE'].map((title) => ({ title }));
      const cells = costs.map((cost) => [
        cost.name,
        `${cost.samples} times`,
        formatDuration(cost.meanMs),
        formatBytes(Math.round(cost.meanBytes)),
      ]);
      return renderTable(columns, cells, output.style, output.columns()).join('\n');
    });
    return 0;
  });
