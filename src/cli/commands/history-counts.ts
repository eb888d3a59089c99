// `varve history counts`: how many runs or actions arrived when.
import type { CommandRun } from '../command-table.ts';
import { readPages } from '../read-pages.ts';
import { withApi } from '../session.ts';
import { lastStretch, showMoment } from '../terminal/moment.ts';
import { renderTable } from '../terminal/table.ts';

export const run: CommandRun<'history counts'> = ({ options }, context) =>
  withApi(context, async (api) => {
    const filter = {
      ...lastStretch(Date.now(), options.since, options.until),
      of: options.of,
      ...(options.name === undefined ? {} : { name: options.name }),
      ...(options.user === undefined ? {} : { user: options.user }),
      everyMs: Math.max(1, options.every),
      ...(options.after === undefined ? {} : { after: options.after }),
    };
    const counts = await readPages((page) => api.countArrivals({ ...filter, ...page }), options.limit);
    const next = counts.length < options.limit ? null : (counts.at(-1)?.start ?? null);
    const { output } = context;
    output.result({ counts: counts.map((one) => ({ ...one })), next }, () => {
      const columns = [{ title: 'FROM' }, { title: options.of.toUpperCase(), align: 'right' as const }];
      const cells = counts.map((one) => [showMoment(one.start), String(one.count)]);
      return counts.length === 0
        ? `no ${options.of} in this time`
        : renderTable(columns, cells, output.style, output.columns()).join('\n');
    });
    return 0;
  });
