// `varve history costs`: mean compute time and size per action name.
import { formatBytes, formatDuration } from '../../core/units.ts';
import type { CommandRun } from '../command-table.ts';
import { readPages } from '../read-pages.ts';
import { withApi } from '../session.ts';
import { renderTable } from '../terminal/table.ts';

export const run: CommandRun<'history costs'> = ({ options }, context) =>
  withApi(context, async (api) => {
    const { after, limit } = options;
    const from = after === undefined ? {} : { after };
    const costs = await readPages((page) => api.listCosts({ ...from, ...page }), limit);
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
