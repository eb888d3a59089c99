// `varve datasets unpin`: lets go of a pinned dataset.
import type { CommandRun } from '../command-table.ts';
import { withApi } from '../session.ts';

export const run: CommandRun<'datasets unpin'> = ({ arguments: given }, context) =>
  withApi(context, async (api) => {
    const { dataset } = await api.unpinDataset({ dataset: given.dataset });
    context.output.result({ signature: dataset }, () => `${dataset.slice(0, 12)} is no longer pinned`);
    return 0;
  });
