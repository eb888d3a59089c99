// `varve datasets unpin`: lets go of a pinned dataset.
import { findDataset } from '../../engine/find-dataset.ts';
import { unpinDataset } from '../../engine/keep-dataset.ts';
import type { CommandRun } from '../command-table.ts';
import { withVarve } from '../session.ts';

export const run: CommandRun<'datasets unpin'> = ({ arguments: given }, context) =>
  withVarve(context, async (varve) => {
    const row = await findDataset(varve.store.view, given.dataset);
    await unpinDataset(varve.engine.context, row);
    context.output.result(
      { signature: row.signature },
      () => `${row.signature.slice(0, 12)} is no longer pinned`,
    );
    return 0;
  });
