// `varve rerun`: chosen actions are computed again; what is below them follows when their bytes change.
import { randomUUID } from 'node:crypto';
import { repeatRun } from '../../engine/repeat-run.ts';
import type { CommandRun } from '../command-table.ts';
import { followRun } from '../follow-run.ts';
import { runNumber, withVarve } from '../session.ts';

export const run: CommandRun<'rerun'> = ({ arguments: given, options }, context) =>
  withVarve(context, async (varve) => {
    const request = { userName: varve.userName, submissionKey: randomUUID(), force: given.action };
    const { runId } = await repeatRun(varve.engine.context, runNumber(given.run), request);
    if (!options.detach) return followRun(varve, runId, { outdir: options.outdir }, context);
    context.output.result({ run: runId }, () => `run ${runId} submitted`);
    return 0;
  });
