// `varve datasets clean`: removes what was given up and what crashed attempts left behind.
import { collectGarbage } from '../../engine/collect-garbage.ts';
import type { CommandRun } from '../command-table.ts';
import { withVarve } from '../session.ts';

/** Attempts that ended more recently keep what fences a late hand-over. */
const graceMs = 60_000;

export const run: CommandRun<'datasets clean'> = (_, context) =>
  withVarve(context, async (varve) => {
    const deleted = await varve.engine.datasetManager.sweep();
    const { attempts, locations } = await collectGarbage(varve.engine.context, { graceMs });
    context.output.result(
      { deleted, attempts: attempts.length, orphans: locations.length },
      () =>
        `${deleted} datasets deleted, leftovers of ${attempts.length} attempts and ${locations.length} orphans removed`,
    );
    return 0;
  });
