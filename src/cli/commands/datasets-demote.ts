// `varve datasets demote`: lets go of a result.
import type { CommandRun } from '../command-table.ts';
import { withApi } from '../session.ts';

export const run: CommandRun<'datasets demote'> = ({ arguments: given }, context) =>
  withApi(context, async (api) => {
    const { dataset } = await api.demoteDataset({ dataset: given.dataset });
    context.output.result(
      { signature: dataset },
      () => `${dataset.slice(0, 12)} is no longer kept as a result`,
    );
    return 0;
  });
