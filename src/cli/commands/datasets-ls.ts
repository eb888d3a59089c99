// `varve datasets ls`: the newest datasets.
import { type DatasetState, datasetMachine } from '../../core/machines/dataset.ts';
import { formatBytes, formatDuration } from '../../core/units.ts';
import type { CommandRun } from '../command-table.ts';
import { cliErrors } from '../error-codes.ts';
import { readPages } from '../read-pages.ts';
import { withApi } from '../session.ts';
import { renderTable } from '../terminal/table.ts';

export const run: CommandRun<'datasets ls'> = ({ options }, context) =>
  withApi(context, async (api) => {
    const filter = {
      ...(options.name === undefined ? {} : { name: options.name }),
      ...(options.state.length === 0 ? {} : { state: options.state.map(stateName) }),
    };
    const rows = await readPages((page) => api.listDatasets({ ...filter, ...page }), options.limit);
    const { output } = context;
    output.result(
      rows.map(({ dataset, name, state, sizeBytes, computeMs, uses, storedAt }) => ({
        signature: dataset,
        name,
        state,
        sizeBytes,
        computeMs,
        uses,
        storedAt,
      })),
      () => {
        const columns = [
          { title: 'DATASET' },
          { title: 'STATE' },
          { title: 'SIZE' },
          { title: 'COMPUTED IN' },
          { title: 'USES' },
          { title: 'NAME' },
        ];
        const cells = rows.map((row) => [
          row.dataset.slice(0, 12),
          row.state,
          row.sizeBytes === null ? '' : formatBytes(row.sizeBytes),
          row.computeMs === null ? '' : formatDuration(row.computeMs),
          String(row.uses),
          row.name,
        ]);
        return renderTable(columns, cells, output.style, output.columns()).join('\n');
      },
    );
    return 0;
  });

function stateName(text: string): DatasetState {
  const name = text.toUpperCase();
  if (!Object.hasOwn(datasetMachine.states, name)) {
    throw cliErrors.CLI_OPTION_VALUE('state', Object.keys(datasetMachine.states).join(', '), text);
  }
  return name as DatasetState;
}
