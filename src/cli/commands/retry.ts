// `varve retry`: a new run of the same workflow that reuses what was finished.
import { randomUUID } from 'node:crypto';
import { repeatRun } from '../../engine/repeat-run.ts';
import type { CommandRun } from '../command-table.ts';
import { followRun } from '../follow-run.ts';
import { runNumber, withVarve } from '../session.ts';

export const run: CommandRun<'retry'> = ({ arguments: given, options }, context) =>
  withVarve(context, async (varve) => {
    const request = { userName: varve.userName, submissionKey: randomUUID() };
    const { runId } = await repeatRun(varve.engine.context, runNumber(given.run), request);
    if (!options.detach) return followRun(varve, runId, { outdir: options.outdir }, context);
    context.output.result({ run: runId }, () => `run ${runId} submitted`);
    return 0;
  });
