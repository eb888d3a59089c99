// `varve history actions`: the rolling window of the last actions.
import type { CommandRun } from '../command-table.ts';
import { readPages } from '../read-pages.ts';
import { withApi } from '../session.ts';
import { showMoment } from '../terminal/moment.ts';
import { renderTable } from '../terminal/table.ts';

export const run: CommandRun<'history actions'> = ({ options }, context) =>
  withApi(context, async (api) => {
    const { before, limit } = options;
    const from = before === undefined ? {} : { before };
    const actions = await readPages((page) => api.listHistoryActions({ ...from, ...page }), limit);
    const next = actions.length < limit ? null : (actions.at(-1)?.id ?? null);
    const { output } = context;
    output.result({ actions: actions.map((action) => ({ ...action })), next }, () => {
      if (actions.length === 0) return 'no actions';
      const titles = ['ACTION', 'RUN', 'KEY', 'NAME', 'USER', 'STATE', 'DATASET', 'SUBMITTED'];
      const cells = actions.map((action) => [
        String(action.id),
        String(action.runId),
        action.key,
        action.name,
        action.userName,
        action.state,
        action.signature.slice(0, 12),
        showMoment(action.createdAt),
      ]);
      const columns = titles.map((title) => ({ title }));
      return renderTable(columns, cells, output.style, output.columns()).join('\n');
    });
    return 0;
  });
