// `varve users ls`: who may use the server.
import type { CommandRun } from '../command-table.ts';
import { withApi } from '../session.ts';
import { showMoment } from '../terminal/moment.ts';
import { renderTable } from '../terminal/table.ts';

export const run: CommandRun<'users ls'> = (_, context) =>
  withApi(context, async (api) => {
    const { items } = await api.listUsers({});
    const { output } = context;
    output.result(
      items.map((item) => ({ ...item })),
      () => {
        if (items.length === 0) return 'no users; the server belongs to the user of its machine';
        const cells = items.map((item) => [
          item.user,
          item.disabledAt === null ? item.role : 'disabled',
          item.projects.join(', '),
          showMoment(item.createdAt),
        ]);
        const columns = ['USER', 'ROLE', 'PROJECTS', 'SINCE'].map((title) => ({ title }));
        return renderTable(columns, cells, output.style, output.columns()).join('\n');
      },
    );
    return 0;
  });
