// `varve datasets demote`: lets go of a result.
import { findDataset } from '../../engine/find-dataset.ts';
import { demoteDataset } from '../../engine/keep-dataset.ts';
import type { CommandRun } from '../command-table.ts';
import { withVarve } from '../session.ts';

export const run: CommandRun<'datasets demote'> = ({ arguments: given }, context) =>
  withVarve(context, async (varve) => {
    const row = await findDataset(varve.store.view, given.dataset);
    await demoteDataset(varve.engine.context, row);
    context.output.result(
      { signature: row.signature },
      () => `${row.signature.slice(0, 12)} is no longer kept as a result`,
    );
    return 0;
  });
