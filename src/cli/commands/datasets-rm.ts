// `varve datasets rm`: deletes files of datasets that nothing live needs.
import type { CommandRun } from '../command-table.ts';
import { withApi } from '../session.ts';

export const run: CommandRun<'datasets rm'> = ({ arguments: given }, context) =>
  withApi(context, async (api) => {
    const removed: string[] = [];
    for (const prefix of given.dataset) removed.push((await api.deleteDataset({ dataset: prefix })).dataset);
    context.output.result(removed, () =>
      removed.map((signature) => `${signature.slice(0, 12)} deleted`).join('\n'),
    );
    return 0;
  });
