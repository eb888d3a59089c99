// `varve history counts`: how many runs or actions arrived when.
import type { CommandRun } from '../command-table.ts';
import { withVarve } from '../session.ts';
import { lastStretch, showMoment } from '../terminal/moment.ts';
import { renderTable } from '../terminal/table.ts';

export const run: CommandRun<'history counts'> = ({ options }, context) =>
  withVarve(context, async (varve) => {
    const counts = await varve.store.view.countArrivals({
      ...lastStretch(Date.now(), options.since, options.until),
      of: options.of,
      name: options.name,
      userName: options.user,
      resolutionMs: Math.max(1, options.every),
      limit: options.limit,
      ...(options.after === undefined ? {} : { after: options.after }),
    });
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
