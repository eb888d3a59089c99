// `varve show`: one run with its actions.
import type { JsonObject } from '../../core/json.ts';
import { formatDuration } from '../../core/units.ts';
import type { CommandRun } from '../command-table.ts';
import { readPages } from '../read-pages.ts';
import { renderReport, reportOf } from '../run-report.ts';
import { runNumber, withApi } from '../session.ts';
import { renderTable } from '../terminal/table.ts';

export const run: CommandRun<'show'> = ({ arguments: given }, context) =>
  withApi(context, async (api) => {
    const id = runNumber(given.run);
    const report = reportOf(await api.getRun({ run: id }));
    const actions = await readPages((page) => api.listActions({ run: id, ...page }));
    const { output } = context;
    output.result(
      {
        ...(JSON.parse(JSON.stringify(report)) as JsonObject),
        details: actions.map(({ key, name, state, attempts, startedAt, endedAt, signature }) => ({
          action: key,
          name,
          state,
          attempts,
          startedAt,
          endedAt,
          signature,
        })),
      },
      () => {
        const columns = [
          { title: 'ACTION' },
          { title: 'STATE' },
          { title: 'ATTEMPTS' },
          { title: 'TOOK' },
          { title: 'NAME' },
        ];
        const cells = actions.map((action) => [
          action.key,
          action.state,
          String(action.attempts),
          action.startedAt === null || action.endedAt === null
            ? ''
            : formatDuration(Math.max(0, action.endedAt - action.startedAt)),
          action.name,
        ]);
        const table =
          actions.length === 0
            ? ['its single actions are no longer known: they were compacted']
            : renderTable(columns, cells, output.style, output.columns());
        return [...table, '', renderReport(report, output.style)].join('\n');
      },
    );
    return 0;
  });
