// The end of a CWL run as users of cwl-runner expect it: the output object on stdout with its files in the output folder, what else there
// is to say on stderr, and an exit code that tells unsupported from failed.
import { resolve } from 'node:path';
import type { Output } from '../../api/api.ts';
import { errorKinds } from '../../core/errors.ts';
import { outputText, stageOutputs } from '../../languages/cwl/index.ts';
import type { CommandContext } from '../command.ts';
import { type RunReport, renderReport, reportOf } from '../run-report.ts';
import type { Session } from '../session.ts';
import { bringOutputs } from './far-outputs.ts';

/** Resolves with the exit code. */
export async function finishCwlRun(
  { varve, api }: Session,
  run: Output<'getRun'>,
  outdir: string | undefined,
  { output, environment }: CommandContext,
): Promise<number> {
  const succeeded = run.state === 'SUCCEEDED';
  if (!output.quiet || !succeeded) {
    const report = reportOf(run);
    output.say(renderReport({ ...report, outputs: {} }, output.noteStyle));
    if (run.state === 'FAILED') return await exitCodeOf(report);
  }
  if (!succeeded) return errorKinds.cancelled.exitCode;
  const folder = resolve(environment.workingFolder, outdir ?? '.');
  const outputs = varve
    ? await stageOutputs(await varve.cwl.outputs(run.run), folder)
    : await bringOutputs(api, run.run, folder);
  output.print(outputText(outputs));
  return 0;
}

async function exitCodeOf({ failures }: RunReport): Promise<number> {
  const { errorCatalog } = await import('../error-catalog.ts');
  const kinds = failures.map(({ code }) => errorCatalog.find((entry) => entry.code === code)?.kind);
  const unsupported = kinds.length > 0 && kinds.every((kind) => kind === 'unsupported');
  return errorKinds[unsupported ? 'unsupported' : 'failed'].exitCode;
}
