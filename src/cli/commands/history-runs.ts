// `varve history runs`: ended runs as decisions see them.
import type { Json } from '../../core/json.ts';
import { formatDuration } from '../../core/units.ts';
import type { CommandRun } from '../command-table.ts';
import { readPages } from '../read-pages.ts';
import { withApi } from '../session.ts';
import { showMoment } from '../terminal/moment.ts';
import { renderTable } from '../terminal/table.ts';

export const run: CommandRun<'history runs'> = ({ options }, context) =>
  withApi(context, async (api) => {
    const { after, before, limit } = options;
    const { output } = context;
    const query = {
      ...(after === undefined ? {} : { after }),
      ...(before === undefined ? {} : { before }),
      ...(output.json && options.members ? { members: true } : {}),
    };
    const runs = await readPages((page) => api.listHistoryRuns({ ...query, ...page }), limit);
    const next = runs.length < limit ? null : (runs.at(-1)?.seq ?? null);
    const listed = JSON.parse(JSON.stringify(runs)) as Json;
    output.result({ runs: listed, next }, () => {
      if (runs.length === 0) return 'no runs have ended yet';
      const titles = [
        'ENTRY',
        'RUN',
        'ENDED',
        'WORKFLOW',
        'USER',
        'DATASETS',
        'COMPUTED',
        'REUSED',
        'SAVED',
        'PAID',
      ];
      const cells = runs.map((one) => [
        String(one.seq),
        String(one.run),
        showMoment(one.endedAt),
        one.workflow,
        one.user,
        String(one.datasets),
        String(one.computed),
        String(one.reused),
        formatDuration(one.savedMs),
        formatDuration(one.paidMs),
      ]);
      const columns = titles.map((title) => ({ title }));
      return renderTable(columns, cells, output.style, output.columns()).join('\n');
    });
    return 0;
  });
