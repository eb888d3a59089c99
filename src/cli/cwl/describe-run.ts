// `--provenance`: the RO-Crate of a run that has just ended, here or on a server.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cwlFetching } from '../../composition/cwl-language.ts';
import type { JsonObject } from '../../core/json.ts';
import {
  completeInputs,
  type JobDocument,
  type LoadedDocument,
  writeRunCrate,
} from '../../languages/cwl/index.ts';
import { version } from '../../version.ts';
import type { CommandContext } from '../command.ts';
import type { Session } from '../session.ts';
import { bringOutputs } from './far-outputs.ts';

export interface DescribedRun {
  readonly document: LoadedDocument;
  readonly job: JobDocument;
  readonly folder: string;
}

export async function describeRun(
  { api, varve }: Session,
  runId: number,
  { document, job, folder }: DescribedRun,
  { config, output }: CommandContext,
): Promise<void> {
  const run = await api.getRun({ run: runId });
  if (run.endedAt === null) return;
  const succeeded = run.state === 'SUCCEEDED';
  const fetching = { ...cwlFetching((await config()).config), requirements: job.requirements };
  // What a server has is brought here first; the crate then has copies of its own.
  const brought = await mkdtemp(join(tmpdir(), 'varve-crate-'));
  try {
    const outputsOf = (): Promise<JsonObject> =>
      varve ? varve.cwl.outputs(runId) : bringOutputs(api, runId, brought);
    await writeRunCrate(folder, {
      process: document.process,
      documents: document.texts,
      inputs: await completeInputs(document.process, job.job, fetching),
      outputs: succeeded ? await outputsOf() : {},
      run: {
        id: runId,
        name: run.name,
        userName: run.user,
        startedAt: run.submittedAt,
        endedAt: run.endedAt,
        succeeded,
        error: succeeded ? undefined : (run.failures[0]?.message ?? run.state.toLowerCase()),
      },
      programVersion: version,
    });
  } finally {
    await rm(brought, { recursive: true, force: true });
  }
  output.note(`provenance: ${folder}`);
}
