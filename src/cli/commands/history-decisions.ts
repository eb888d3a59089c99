// `varve history decisions`: who decided what, and what failed.
import type { JsonObject } from '../../core/json.ts';
import { formatBytes } from '../../core/units.ts';
import type { CommandRun } from '../command-table.ts';
import { readPages } from '../read-pages.ts';
import { withApi } from '../session.ts';
import { showMoment } from '../terminal/moment.ts';
import { renderTable } from '../terminal/table.ts';

export const run: CommandRun<'history decisions'> = ({ options }, context) =>
  withApi(context, async (api) => {
    const { after, limit } = options;
    const from = after === undefined ? {} : { after };
    const decisions = await readPages((page) => api.listDecisions({ ...from, ...page }), limit);
    const next = decisions.length < limit ? null : (decisions.at(-1)?.id ?? null);
    const { output } = context;
    output.result({ decisions: decisions.map((one) => ({ ...one }) as JsonObject), next }, () => {
      if (decisions.length === 0) return 'nothing was decided yet';
      const titles = ['DECISION', 'AT', 'BY', 'DATASETS', 'FREED', 'SHORT', 'NOT ADMITTED', 'REFUSED'];
      const cells = decisions.map((one) => [
        String(one.id),
        showMoment(one.at),
        one.algorithm ?? 'rules',
        String(one.datasets),
        formatBytes(one.freedBytes),
        one.shortfallBytes > 0 ? formatBytes(one.shortfallBytes) : '',
        String(one.notAdmitted),
        one.refused ?? '',
      ]);
      const columns = titles.map((title) => ({ title }));
      return renderTable(columns, cells, output.style, output.columns()).join('\n');
    });
    return 0;
  });
