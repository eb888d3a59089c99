// `varve runs`: the newest runs.
import { formatDuration } from '../../core/units.ts';
import type { CommandRun } from '../command-table.ts';
import { readPages } from '../read-pages.ts';
import { withApi } from '../session.ts';
import { renderTable } from '../terminal/table.ts';

export const run: CommandRun<'runs'> = ({ options }, context) =>
  withApi(context, async (api) => {
    const filter = options.all ? {} : { user: (await api.getSession({})).user };
    const rows = await readPages((page) => api.listRuns({ ...filter, ...page }), options.limit);
    const { output } = context;
    output.result(
      rows.map(({ run, name, state, user, submittedAt, endedAt }) => ({
        run,
        name,
        state,
        user,
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
          String(row.run),
          row.state,
          row.name,
          row.user,
          new Date(row.submittedAt).toISOString().replace('T', ' ').slice(0, 19),
          row.endedAt === null ? '' : formatDuration(row.endedAt - row.submittedAt),
        ]);
        return rows.length === 0
          ? options.all
            ? 'no runs yet'
            : 'no runs of yours yet; --all shows those of others'
          : renderTable(columns, cells, output.style, output.columns()).join('\n');
      },
    );
    return 0;
  });
