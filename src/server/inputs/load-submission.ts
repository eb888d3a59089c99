// Turns the document of a submission into a workflow. Relative paths lead into the folder of the files that came along; absolute ones and
// addresses only where the configuration allows it.
import { realpath } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { VarveError } from '../../core/errors.ts';
import type { Json } from '../../core/json.ts';
import type { WorkflowDefinition } from '../../core/workflow.ts';
import type { Caller } from '../caller.ts';
import { serverErrors } from '../error-codes.ts';
import { withMissingFiles } from './missing-files.ts';
import type { SubmittedFile } from './submitted-files.ts';

export interface SubmittedWorkflow {
  readonly workflow: string | object;
  readonly fileName?: string | undefined;
  readonly folder?: string | undefined;
  readonly parameters?: Readonly<Record<string, unknown>> | undefined;
  readonly parametersFolder?: string | undefined;
  readonly files?: Readonly<Record<string, SubmittedFile>> | undefined;
  readonly neighbours?: readonly string[] | undefined;
}

export interface LoadedSubmission {
  readonly workflow: WorkflowDefinition;
  readonly source: string;
}

/** Where local callers' paths start: their own file system. */
const ownWorld = '';

export async function loadSubmission(input: SubmittedWorkflow, caller: Caller): Promise<LoadedSubmission> {
  const { site, access } = caller;
  // Who names a folder of this machine and brings no files means the files that are there.
  const local = access.via === 'local' && input.files === undefined && input.folder !== undefined;
  const world = local ? ownWorld : await site.files.layOut(access.userName, input.files ?? {});
  const folder = join(world, posix.normalize(input.folder ?? '/'));
  const parametersFolder = join(world, posix.normalize(input.parametersFolder ?? input.folder ?? '/'));
  const text = typeof input.workflow === 'string' ? input.workflow : JSON.stringify(input.workflow, null, 2);
  const fileName = input.fileName ?? (typeof input.workflow === 'string' ? 'workflow.yaml' : 'workflow.json');
  const missing = new Set<string>();
  const guard = local ? undefined : inputGuard(caller, world, missing);
  try {
    const workflow = await site.varve.load(
      { path: join(folder, fileName), text },
      {
        parameters: (input.parameters ?? {}) as Readonly<Record<string, Json>>,
        parametersFolder,
        guard,
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
  return {
    async allowFile(path: string): Promise<boolean> {
      const real = await realpath(path).catch(() => undefined);
      if (path.startsWith(`${world}/`)) {
        if (real === undefined) missing.add(path.slice(world.length));
        return real?.startsWith(`${world}/`) ?? false;
      }
      if (real === undefined) return false;
      return everything || inputFolders.some((folder) => real === folder || real.startsWith(`${folder}/`));
    },
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
