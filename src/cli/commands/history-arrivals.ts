// `varve history arrivals`: how far apart runs or actions arrive.
import { formatDuration } from '../../core/units.ts';
import type { CommandRun } from '../command-table.ts';
import { withApi } from '../session.ts';
import { lastStretch } from '../terminal/moment.ts';
import { renderTable } from '../terminal/table.ts';

export const run: CommandRun<'history arrivals'> = ({ options }, context) =>
  withApi(context, async (api) => {
    const gaps = await api.getArrivalGaps({
      ...lastStretch(Date.now(), options.since, options.until),
      of: options.of,
      ...(options.name === undefined ? {} : { name: options.name }),
      ...(options.user === undefined ? {} : { user: options.user }),
      everyMs: Math.max(1, options.every),
    });
    const { output } = context;
    output.result({ ...gaps, histogram: gaps.histogram.map((one) => ({ ...one })) }, () => {
      if (gaps.count === 0) return `fewer than two ${options.of} in this time`;
      const columns = [{ title: 'GAP FROM' }, { title: 'TIMES', align: 'right' as const }];
      const cells = gaps.histogram.map((one) => [formatDuration(one.gapMs), String(one.count)]);
      return [
        `${gaps.count} gaps, ${formatDuration(gaps.meanMs)} on average, ${formatDuration(gaps.leastMs)} to ${formatDuration(gaps.mostMs)}`,
        ...renderTable(columns, cells, output.style, output.columns()),
      ].join('\n');
    });
    return 0;
  });
