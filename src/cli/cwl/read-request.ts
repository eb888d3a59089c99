// A command line for a CWL document becomes the loaded document and its input object.
import { resolve } from 'node:path';
import { cwlFetching } from '../../composition/cwl-language.ts';
import { formatError, type VarveError } from '../../core/errors.ts';
import {
  cwlErrors,
  emptyJob,
  type JobDocument,
  type LoadedDocument,
  type LoadOptions,
  loadDocument,
  loadJob,
  parseInputFlags,
  unknownInputs,
  urlOfArgument,
  urlOfPath,
} from '../../languages/cwl/index.ts';
import type { CommandContext } from '../command.ts';
import { cliErrors } from '../error-codes.ts';

export interface CwlWords {
  /** Path or address of the document, or of an input object that names it by `cwl:tool`. */
  readonly document: string;
  readonly jobFile?: string | undefined;
  /** `name=value` of --input. */
  readonly named: readonly string[];
  /** Flags of the process's own inputs. */
  readonly flags: readonly string[];
  readonly basedir?: string | undefined;
}

export interface CwlRequest {
  /** Where the document was read, with the name of a process in it. */
  readonly url: string;
  readonly document: LoadedDocument;
  readonly job: JobDocument;
  /** True when the flags asked for help about the process. */
  readonly help: boolean;
}

/** Loads and checks the document; says on stderr what is odd about it. */
export async function readDocument(
  argument: string,
  context: CommandContext,
  options: Pick<LoadOptions, 'checkScripts'> = {},
): Promise<LoadedDocument> {
  const folder = context.environment.workingFolder;
  const { fetchText } = cwlFetching((await context.config()).config);
  const document = await loadDocument(urlOfArgument(argument, folder), { ...options, fetchText });
  warn(document.warnings, context);
  return document;
}

export async function readRequest(words: CwlWords, context: CommandContext): Promise<CwlRequest> {
  const folder = context.environment.workingFolder;
  const { fetchText } = cwlFetching((await context.config()).config);
  const baseUrl = words.basedir === undefined ? undefined : `${urlOfPath(resolve(folder, words.basedir))}/`;
  const readJob = (argument: string, namespaces?: Readonly<Record<string, string>>) =>
    loadJob(urlOfArgument(argument, folder), { fetchText, baseUrl, namespaces });
  const named = words.jobFile === undefined ? await toolOf(words.document, readJob) : undefined;
  const document = await readDocument(named?.tool ?? words.document, context);
  const given = parseInputFlags(
    document.process,
    [...words.named.map((text) => `--${nameAndValue(text)}`), ...words.flags],
    folder,
  );
  const jobFile = oneOf(words.jobFile, given.jobFile);
  const base = named ?? (jobFile === undefined ? emptyJob : await readJob(jobFile, document.namespaces));
  const job = { ...base, job: { ...base.job, ...given.job } };
  warn(unknownInputs(document.process, job.job, base.placeOfInput), context);
  return { url: urlOfArgument(named?.tool ?? words.document, folder), document, job, help: given.help };
}

/** The input object itself when it was given in place of the document. */
async function toolOf(
  argument: string,
  readJob: (argument: string) => Promise<JobDocument>,
): Promise<JobDocument | undefined> {
  if (/\.cwl(?:#.*)?$/.test(argument)) return undefined;
  const job = await readJob(argument).catch(() => undefined);
  return job?.tool === undefined ? undefined : job;
}

function nameAndValue(text: string): string {
  if (text.indexOf('=') <= 0) throw cliErrors.CLI_INPUT_FLAG(text);
  return text;
}

function oneOf(first: string | undefined, second: string | undefined): string | undefined {
  if (first !== undefined && second !== undefined)
    throw cwlErrors.CWL_ARGUMENT(`two input objects were given: ${first} and ${second}`);
  return first ?? second;
}

function warn(warnings: readonly VarveError[], { output }: CommandContext): void {
  if (output.quiet) return;
  for (const warning of warnings) output.warn(formatError(warning));
}
