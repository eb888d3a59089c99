// Turns the document of a submission into a workflow. Relative paths lead into the folder of the files that came along; absolute ones and
// addresses only where the configuration allows it.
import { readFile } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { VarveError } from '../../core/errors.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import type { WorkflowDefinition } from '../../core/workflow.ts';
import type { Caller } from '../caller.ts';
import { serverErrors } from '../error-codes.ts';
import { checkCwlSubmission, isCwl, loadCwlSubmission, realPlace } from './load-cwl-submission.ts';
import { withMissingFiles } from './missing-files.ts';
import type { SubmittedFile } from './submitted-files.ts';

export interface SubmittedWorkflow {
  /** May be left out when `fileName` names a member of the archive. */
  readonly workflow?: string | object | undefined;
  readonly fragment?: string | undefined;
  readonly noReuse?: boolean | undefined;
  /** An upload whose members lie in `folder`. */
  readonly archive?: string | undefined;
  readonly fileName?: string | undefined;
  readonly folder?: string | undefined;
  readonly parameters?: Readonly<Record<string, unknown>> | undefined;
  readonly parametersFolder?: string | undefined;
  readonly files?: Readonly<Record<string, SubmittedFile>> | undefined;
  readonly neighbours?: readonly string[] | undefined;
}

export interface LoadedSubmission<W = WorkflowDefinition> {
  readonly workflow: W;
  readonly source: string;
}

/** Where local callers' paths start: their own file system. */
const ownWorld = '';

/** The workflow of a submission; throws every problem of it. */
export async function loadSubmission(input: SubmittedWorkflow, caller: Caller): Promise<LoadedSubmission> {
  return (await load(input, caller, false)) as LoadedSubmission;
}

/** Throws every problem of the document; inputs that only a submission brings may be missing. */
export async function checkSubmission(input: SubmittedWorkflow, caller: Caller): Promise<void> {
  await load(input, caller, true);
}

async function load(
  input: SubmittedWorkflow,
  caller: Caller,
  checkOnly: boolean,
): Promise<LoadedSubmission<WorkflowDefinition | undefined>> {
  const { site, access } = caller;
  // Who names a folder of this machine and brings no files means the files that are there.
  const comesAlone = input.files === undefined && input.archive === undefined;
  const local = access.via === 'local' && comesAlone && input.folder !== undefined;
  const world = local ? ownWorld : await layOut(input, caller);
  const folder = join(world, posix.normalize(input.folder ?? '/'));
  const parametersFolder = join(world, posix.normalize(input.parametersFolder ?? input.folder ?? '/'));
  const { text, fileName } = await documentOf(input, folder);
  const missing = new Set<string>();
  const guard = inputGuard(caller, world, missing);
  const parameters = (input.parameters ?? {}) as Readonly<Record<string, Json>>;
  try {
    if (isCwl(text, fileName)) {
      const submission = {
        text,
        fragment: input.fragment,
        documentPath: join(folder, fileName),
        jobFolder: parametersFolder,
        job: parameters as JsonObject,
        noReuse: input.noReuse,
      };
      if (!checkOnly)
        return { workflow: await loadCwlSubmission(site.varve, submission, guard), source: text };
      await checkCwlSubmission(site.varve, submission, guard);
      return { workflow: undefined, source: text };
    }
    const workflow = await site.varve.load(
      { path: join(folder, fileName), text },
      {
        parameters,
        parametersFolder,
        guard: local ? undefined : guard,
        ...(local ? {} : { neighbours: neighboursOf(input) }),
      },
    );
    // Without a list of names nobody can tell what was forgotten.
    if (missing.size > 0 && input.neighbours) throw serverErrors.SUBMIT_FILES_MISSING(missing.size);
    return { workflow, source: text };
  } catch (error) {
    if (!(error instanceof VarveError)) throw error;
    throw withMissingFiles(inTheirWorld(error, world), [...missing].sort());
  }
}

function layOut({ files = {}, archive, folder = '/' }: SubmittedWorkflow, { site, access }: Caller) {
  const packed = archive === undefined ? undefined : { upload: archive, folder: posix.normalize(folder) };
  return site.files.layOut(access.userName, files, packed);
}

/** The document that was sent, or the member of the archive that stands for it. */
async function documentOf(
  { workflow, fileName, archive }: SubmittedWorkflow,
  folder: string,
): Promise<{ readonly text: string; readonly fileName: string }> {
  if (typeof workflow === 'string') return { text: workflow, fileName: fileName ?? 'workflow.yaml' };
  if (workflow !== undefined)
    return { text: JSON.stringify(workflow, null, 2), fileName: fileName ?? 'workflow.json' };
  const path = join(folder, fileName ?? '');
  const inside = archive !== undefined && fileName !== undefined && realPlace(path)?.startsWith(`${folder}`);
  const text = inside ? await readFile(path, 'utf8').catch(() => undefined) : undefined;
  if (text === undefined || fileName === undefined)
    throw serverErrors.SUBMIT_DOCUMENT_MISSING(
      archive === undefined ? undefined : (fileName ?? '(no fileName)'),
    );
  return { text, fileName };
}

/** First parts of the names beside the document, as uploaded and as the submitter says. */
function neighboursOf({ files = {}, folder = '/', neighbours = [] }: SubmittedWorkflow): ReadonlySet<string> {
  const beside = folder.endsWith('/') ? folder : `${folder}/`;
  const uploaded = Object.keys(files)
    .filter((path) => path.startsWith(beside))
    .map((path) => path.slice(beside.length).split('/', 1)[0] as string);
  return new Set([...uploaded, ...neighbours]);
}

function inputGuard({ site, access }: Caller, world: string, missing: Set<string>) {
  const { inputFolders, inputHosts } = site.varve.config.server;
  const everything = access.via === 'local';
  const mayRead = (path: string): boolean => {
    const real = realPlace(path);
    if (world !== ownWorld && path.startsWith(`${world}/`)) {
      if (real === undefined) missing.add(path.slice(world.length));
      return real?.startsWith(`${world}/`) ?? false;
    }
    if (real === undefined) return false;
    return everything || inputFolders.some((folder) => real === folder || real.startsWith(`${folder}/`));
  };
  return {
    mayRead,
    allowFile: async (path: string) => mayRead(path),
    allowUrl(url: URL): string | undefined {
      if (everything || inputHosts.includes(url.host) || inputHosts.includes(url.hostname)) return undefined;
      return `the server does not fetch from ${url.host}; server.inputHosts lists what it may`;
    },
  };
}

/** The error as the submitter knows the files: without the folder in which the server keeps them. */
function inTheirWorld(error: VarveError, world: string): VarveError {
  if (world === ownWorld) return error;
  const shown = (text: string): string => text.replaceAll(world, '');
  const problems = error.problems.map((one) => inTheirWorld(one, world));
  const place = error.place && { ...error.place, file: shown(error.place.file) };
  const hint = error.hint && shown(error.hint);
  return new VarveError(error.kind, error.code, shown(error.message), { problems, place, hint });
}
