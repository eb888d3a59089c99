// `varve history compact`: drops the details of old runs, and forgets what was deleted long ago and led to nothing.
import { compactHistory } from '../../engine/compact-history.ts';
import { engineErrors } from '../../engine/error-codes.ts';
import type { CommandRun } from '../command-table.ts';
import { cliErrors } from '../error-codes.ts';
import { withVarve } from '../session.ts';

export const run: CommandRun<'history compact'> = ({ options }, context) =>
  withVarve(context, async (varve) => {
    const age = options['older-than'] ?? varve.config.history.retention;
    if (age === undefined) throw cliErrors.CLI_NO_RETENTION();
    const done = await compactHistory(varve.engine.context, varve.leaseMs, { endedBefore: Date.now() - age });
    if (!done) throw engineErrors.DECISIONS_BUSY();
    context.output.result(
      { ...done },
      () => `the details of ${done.runs} runs were dropped, ${done.datasets} deleted datasets forgotten`,
    );
    return 0;
  });
