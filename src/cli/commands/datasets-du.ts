// `varve datasets du`: space by state.
import { formatBytes } from '../../core/units.ts';
import type { CommandRun } from '../command-table.ts';
import { withApi } from '../session.ts';
import { renderTable } from '../terminal/table.ts';

export const run: CommandRun<'datasets du'> = (_, context) =>
  withApi(context, async (api) => {
    const { states, usedBytes, freeBytes } = await api.getStorage({});
    const { output } = context;
    output.result({ usedBytes, freeBytes, states: states.map((row) => ({ ...row })) }, () => {
      const columns = [{ title: 'STATE' }, { title: 'DATASETS' }, { title: 'SIZE' }];
      const cells = states.map((row) => [
        row.state,
        String(row.count),
        row.state === 'DELETED' ? '' : formatBytes(row.sizeBytes),
      ]);
      return [
        ...renderTable(columns, cells, output.style, output.columns()),
        freeBytes === null
          ? `${formatBytes(usedBytes)} in datasets`
          : `${formatBytes(usedBytes)} in datasets, ${formatBytes(freeBytes)} free on the file system`,
      ].join('\n');
    });
    return 0;
  });
