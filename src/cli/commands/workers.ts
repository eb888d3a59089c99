// `varve workers`: who takes part, and what everybody does.
import type { CommandRun } from '../command-table.ts';
import { withApi } from '../session.ts';
import { showMoment } from '../terminal/moment.ts';
import { renderTable } from '../terminal/table.ts';

const titles = ['WORKER', 'STATE', 'ROLES', 'TAGS', 'HOST', 'VERSION', 'DOING', 'SEEN'];

export const run: CommandRun<'workers'> = ({ options }, context) =>
  withApi(context, async (api) => {
    const { items } = await api.listWorkers(options.all ? { all: true } : {});
    const { output } = context;
    output.result(items, () => {
      if (items.length === 0) return 'nobody works; start `varve serve` or `varve work`';
      const cells = items.map((item) => [
        item.name,
        item.state,
        item.roles.join(','),
        item.tags.join(','),
        item.host,
        item.version,
        item.doing ?? '',
        showMoment(item.seenAt),
      ]);
      const columns = titles.map((title) => ({ title }));
      return renderTable(columns, cells, output.style, output.columns()).join('\n');
    });
    return 0;
  });
