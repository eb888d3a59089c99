// `varve datasets rm`: deletes files of datasets that nothing live needs.

import { findDataset } from '../../engine/find-dataset.ts';
import { deleteDataset } from '../../engine/keep-dataset.ts';
import type { CommandRun } from '../command-table.ts';
import { withVarve } from '../session.ts';

export const run: CommandRun<'datasets rm'> = ({ arguments: given }, context) =>
  withVarve(context, async (varve) => {
    const removed: string[] = [];
    for (const prefix of given.dataset) {
      const row = await findDataset(varve.store.view, prefix);
      await deleteDataset(varve.engine.context, row);
      removed.push(row.signature);
    }
    await varve.engine.datasetManager.sweep();
    context.output.result(removed, () =>
      removed.map((signature) => `${signature.slice(0, 12)} deleted`).join('\n'),
    );
    return 0;
  });
