// `varve datasets du`: space by state.
import { formatBytes } from '../../core/units.ts';
import type { CommandRun } from '../command-table.ts';
import { withVarve } from '../session.ts';
import { renderTable } from '../terminal/table.ts';

export const run: CommandRun<'datasets du'> = (_, context) =>
  withVarve(context, async (varve) => {
    const totals = await varve.store.view.datasetTotals();
    const stored = totals.filter(({ state }) => ['STORED', 'LEAF', 'STORED_TO_DELETE'].includes(state));
    const usedBytes = stored.reduce((sum, row) => sum + row.sizeBytes, 0);
    const usage = await varve.storage.usage();
    const { output } = context;
    output.result(
      { usedBytes, freeBytes: usage.freeBytes, states: totals.map((row) => ({ ...row })) },
      () => {
        const columns = [{ title: 'STATE' }, { title: 'DATASETS' }, { title: 'SIZE' }];
        const cells = totals.map((row) => [
          row.state,
          String(row.count),
          row.state === 'DELETED' ? '' : formatBytes(row.sizeBytes),
        ]);
        return [
          ...renderTable(columns, cells, output.style, output.columns()),
          `${formatBytes(usedBytes)} in datasets, ${formatBytes(usage.freeBytes)} free on the file system`,
        ].join('\n');
      },
    );
    return 0;
  });
