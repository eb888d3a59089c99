// `varve savings`: compute time saved by reuse and paid because of deletions.
import { formatDuration } from '../../core/units.ts';
import { refreshHistory } from '../../engine/history-api.ts';
import type { CommandRun } from '../command-table.ts';
import { withVarve } from '../session.ts';
import { lastStretch } from '../terminal/moment.ts';
import { renderTable } from '../terminal/table.ts';

export const run: CommandRun<'savings'> = ({ options }, context) =>
  withVarve(context, async (varve) => {
    await refreshHistory(varve.engine.context, varve.leaseMs);
    const rows = await varve.store.view.savings(lastStretch(Date.now(), options.since, options.until));
    const total = rows.reduce(
      (sum, row) => ({
        runs: sum.runs + row.runs,
        computedMs: sum.computedMs + row.computedMs,
        savedMs: sum.savedMs + row.savedMs,
        paidMs: sum.paidMs + row.paidMs,
      }),
      { runs: 0, computedMs: 0, savedMs: 0, paidMs: 0 },
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
