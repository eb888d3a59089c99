// `varve datasets pin`: keeps a dataset, for ever or for a while.
import { findDataset } from '../../engine/find-dataset.ts';
import { pinDataset } from '../../engine/keep-dataset.ts';
import type { CommandRun } from '../command-table.ts';
import { withVarve } from '../session.ts';

export const run: CommandRun<'datasets pin'> = ({ arguments: given, options }, context) =>
  withVarve(context, async (varve) => {
    const row = await findDataset(varve.store.view, given.dataset);
    const until = options.for === undefined ? null : Date.now() + options.for;
    await pinDataset(varve.engine.context, row, until);
    context.output.result({ signature: row.signature, until }, () => {
      const end = until === null ? 'until it is unpinned' : `until ${new Date(until).toISOString()}`;
      return `${row.signature.slice(0, 12)} is kept ${end}`;
    });
    return 0;
  });
