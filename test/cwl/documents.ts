// Small CWL documents for tests: written into a folder of their own, loaded, lowered and run.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after } from 'node:test';
import { VarveError } from '../../src/core/errors.ts';
import type { JsonObject } from '../../src/core/json.ts';
import type { WorkflowDefinition } from '../../src/core/workflow.ts';
import {
  type LoadedDocument,
  loadDocument,
  lowerCwlWorkflow,
  urlOfArgument,
} from '../../src/languages/cwl/index.ts';
import { runDirectly } from './direct-runner.ts';

const folders: string[] = [];
after(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** A fresh folder that is removed when the test file ends. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'varve-cwl-test-'));
  folders.push(folder);
  return folder;
}

/** Writes files and returns their folder. */
export async function writeFiles(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = temporaryFolder();
  for (const [name, text] of Object.entries(files)) {
    const path = join(folder, name);
    await mkdir(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  return folder;
}

/** Loads `main.cwl` (or another file) of the given files. */
export async function load(
  files: string | Readonly<Record<string, string>>,
  name = 'main.cwl',
): Promise<LoadedDocument & { folder: string }> {
  const folder = await writeFiles(typeof files === 'string' ? { 'main.cwl': files } : files);
  return { ...(await loadDocument(urlOfArgument(name, folder))), folder };
}

/** The error of loading; all its problems in one list, as `line:column CODE`. */
export async function loadProblems(files: string | Readonly<Record<string, string>>): Promise<string[]> {
  const error = await load(files).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error === undefined) return [];
  if (!(error instanceof VarveError)) throw error;
  const all = error.problems.length === 0 ? [error] : error.problems;
  return all.map((one) => `${one.place?.line}:${one.place?.column} ${one.code}`);
}

export async function lower(
  files: string | Readonly<Record<string, string>>,
  job: JsonObject = {},
): Promise<WorkflowDefinition> {
  const { process } = await load(files);
  return await lowerCwlWorkflow(process, job);
}

/** Runs `main.cwl` with an input object and returns the output object. */
export async function run(
  files: string | Readonly<Record<string, string>>,
  job: JsonObject = {},
): Promise<JsonObject> {
  const done = await runDirectly(await lower(files, job));
  folders.push(done.folder);
  return done.outputs;
}

/** Asserts that something fails, and returns the VarveError. */
export async function failure(work: Promise<unknown>): Promise<VarveError> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof VarveError) return error;
  throw error ?? new Error('it should have failed');
}
