// `varve workers`: the processes that share the store.
import type { CommandRun } from '../command-table.ts';
import { withApi } from '../session.ts';
import { showMoment } from '../terminal/moment.ts';
import { renderTable } from '../terminal/table.ts';

export const run: CommandRun<'workers'> = ({ options }, context) =>
  withApi(context, async (api) => {
    const { items } = await api.listWorkers(options.all ? { all: true } : {});
    const { output } = context;
    output.result(
      items.map((item) => ({ ...item })),
      () => {
        if (items.length === 0) return 'nobody works; start `varve serve` or `varve work`';
        const cells = items.map((item) => [
          String(item.worker),
          item.state,
          item.roles.join(','),
          `${item.host}:${item.pid}`,
          item.version,
          item.doing ?? '',
          showMoment(item.seenAt),
        ]);
        const titles = ['WORKER', 'STATE', 'ROLES', 'PROCESS', 'VERSION', 'DOING', 'SEEN'];
        const columns = titles.map((title) => ({ title }));
        return renderTable(columns, cells, output.style, output.columns()).join('\n');
      },
    );
    return 0;
  });
