// `varve work`: takes and runs actions of any run until it is stopped, or until nothing is left.

import { systemClock } from '../../engine/system-clock.ts';
import type { CommandRun } from '../command-table.ts';
import { withVarve } from '../session.ts';

const lookMs = 500;

export const run: CommandRun<'work'> = ({ options }, context) =>
  withVarve(context, async (varve) => {
    const told = new AbortController();
    await varve.work({ onToldToLeave: () => told.abort() });
    const stop = AbortSignal.any([context.signal, told.signal]);
    context.output.note('working; stop with Control-C');
    while (!stop.aborted) {
      if (options['until-idle'] && (await varve.store.view.liveRuns()).length === 0) return 0;
      await systemClock.sleep(options['until-idle'] ? lookMs : 3_600_000, stop);
    }
    return 0;
  });
