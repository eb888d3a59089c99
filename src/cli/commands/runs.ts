// `varve runs`: the newest runs.
import { formatDuration } from '../../core/units.ts';
import type { CommandRun } from '../command-table.ts';
import { withVarve } from '../session.ts';
import { renderTable } from '../terminal/table.ts';

export const run: CommandRun<'runs'> = ({ options }, context) =>
  withVarve(context, async (varve) => {
    const filter = { limit: options.limit, ...(options.all ? {} : { userName: varve.userName }) };
    const rows = await varve.store.view.listRuns(filter);
    const { output } = context;
    output.result(
      rows.map(({ id, name, state, userName, submittedAt, endedAt }) => ({
        run: id,
        name,
        state,
        user: userName,
        submittedAt,
        endedAt,
      })),
      () => {
        const columns = [
          { title: 'RUN' },
          { title: 'STATE' },
          { title: 'NAME' },
          { title: 'USER' },
          { title: 'SUBMITTED' },
          { title: 'TOOK' },
        ];
        const cells = rows.map((row) => [
          String(row.id),
          row.state,
          row.name,
          row.userName,
          new Date(row.submittedAt).toISOString().replace('T', ' ').slice(0, 19),
          row.endedAt === null ? '' : formatDuration(row.endedAt - row.submittedAt),
        ]);
        return rows.length === 0
          ? 'no runs yet'
          : renderTable(columns, cells, output.style, output.columns()).join('\n');
      },
    );
    return 0;
  });
