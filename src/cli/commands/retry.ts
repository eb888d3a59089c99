// `varve retry`: a new run of the same workflow that reuses what was finished.
import { randomUUID } from 'node:crypto';
import type { CommandRun } from '../command-table.ts';
import { followRun } from '../follow-run.ts';
import { runNumber, withSession } from '../session.ts';

export const run: CommandRun<'retry'> = ({ arguments: given, options }, context) =>
  withSession(context, async (session) => {
    const { run } = await session.api.retryRun({ run: runNumber(given.run), idempotencyKey: randomUUID() });
    if (!options.detach) return followRun(session, run, { outdir: options.outdir }, context);
    context.output.result({ run }, () => `run ${run} submitted`);
    return 0;
  });
