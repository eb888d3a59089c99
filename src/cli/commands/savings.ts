// `varve savings`: compute time saved by reuse and paid because of deletions.
import { formatDuration } from '../../core/units.ts';
import type { CommandRun } from '../command-table.ts';
import { withApi } from '../session.ts';
import { lastStretch } from '../terminal/moment.ts';
import { renderTable } from '../terminal/table.ts';

export const run: CommandRun<'savings'> = ({ options }, context) =>
  withApi(context, async (api) => {
    const { items: rows, total } = await api.getSavings(
      lastStretch(Date.now(), options.since, options.until),
    );
    const { output } = context;
    output.result({ rows: rows.map((row) => ({ ...row })), total }, () => {
      if (rows.length === 0) return 'no runs have ended yet';
      const cells = [...rows, { userName: 'all', workflow: '', ...total }].map((row) => [
        row.userName,
        row.workflow,
        String(row.runs),
        formatDuration(row.computedMs),
        formatDuration(row.savedMs),
        formatDuration(row.paidMs),
      ]);
      const titles = ['USER', 'WORKFLOW', 'RUNS', 'COMPUTED', 'SAVED BY REUSE', 'PAID FOR DELETIONS'];
      return renderTable(
        titles.map((title) => ({ title })),
        cells,
        output.style,
        output.columns(),
      ).join('\n');
    });
    return 0;
  });
