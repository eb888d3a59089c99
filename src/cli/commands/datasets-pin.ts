// `varve datasets pin`: keeps a dataset, for ever or for a while.
import type { CommandRun } from '../command-table.ts';
import { withApi } from '../session.ts';

export const run: CommandRun<'datasets pin'> = ({ arguments: given, options }, context) =>
  withApi(context, async (api) => {
    const length = options.for === undefined ? {} : { forMs: options.for };
    const { dataset, until } = await api.pinDataset({ dataset: given.dataset, ...length });
    context.output.result({ signature: dataset, until }, () => {
      const end = until === null ? 'until it is unpinned' : `until ${new Date(until).toISOString()}`;
      return `${dataset.slice(0, 12)} is kept ${end}`;
    });
    return 0;
  });
