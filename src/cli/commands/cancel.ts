// `varve cancel`: stops a run; shared work goes on.
import type { CommandRun } from '../command-table.ts';
import { runNumber, withVarve } from '../session.ts';

export const run: CommandRun<'cancel'> = ({ arguments: given }, context) =>
  withVarve(context, async (varve) => {
    const id = runNumber(given.run);
    await varve.cancel(id);
    const [row] = await varve.store.view.runs([id]);
    context.output.result({ run: id, state: row?.state ?? '' }, () => `run ${id} is ${row?.state}`);
    return 0;
  });
