// `varve rerun`: chosen actions are computed again; what is below them follows when their bytes change.
import { randomUUID } from 'node:crypto';
import type { CommandRun } from '../command-table.ts';
import { followRun } from '../follow-run.ts';
import { runNumber, withSession } from '../session.ts';

export const run: CommandRun<'rerun'> = ({ arguments: given, options }, context) =>
  withSession(context, async (session) => {
    const { run } = await session.api.rerunActions({
      run: runNumber(given.run),
      actions: [...given.action],
      idempotencyKey: randomUUID(),
    });
    if (!options.detach) return followRun(session, run, { outdir: options.outdir }, context);
    context.output.result({ run }, () => `run ${run} submitted`);
    return 0;
  });
