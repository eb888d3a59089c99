// `--provenance`: the RO-Crate of a run that has just ended.
import type { JsonObject } from '../../core/json.ts';
import { type JobDocument, type LoadedDocument, writeRunCrate } from '../../languages/cwl/index.ts';
import type { Varve } from '../../varve.ts';
import { version } from '../../version.ts';
import type { CommandContext } from '../command.ts';

export interface DescribedRun {
  readonly document: LoadedDocument;
  readonly job: JobDocument;
  readonly folder: string;
}

export async function describeRun(
  varve: Varve,
  runId: number,
  { document, job, folder }: DescribedRun,
  { output }: CommandContext,
): Promise<void> {
  const [run] = await varve.store.view.runs([runId]);
  if (run?.endedAt == null) return;
  const succeeded = run.state === 'SUCCEEDED';
  const error = run.error === null ? undefined : String((JSON.parse(run.error) as JsonObject).message);
  await writeRunCrate(folder, {
    process: document.process,
    documents: document.texts,
    inputs: await varve.cwl.inputs(document, job),
    outputs: succeeded ? await varve.cwl.outputs(runId) : {},
    run: {
      id: runId,
      name: run.name,
      userName: run.userName,
      startedAt: run.submittedAt,
      endedAt: run.endedAt,
      succeeded,
      error: succeeded ? undefined : (error ?? run.state.toLowerCase()),
    },
    programVersion: version,
  });
  output.note(`provenance: ${folder}`);
}
