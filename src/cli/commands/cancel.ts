// `varve cancel`: stops a run; shared work goes on.
import type { CommandRun } from '../command-table.ts';
import { runNumber, withApi } from '../session.ts';

export const run: CommandRun<'cancel'> = ({ arguments: given }, context) =>
  withApi(context, async (api) => {
    const { run, state } = await api.cancelRun({ run: runNumber(given.run) });
    context.output.result({ run, state }, () => `run ${run} is ${state}`);
    return 0;
  });
