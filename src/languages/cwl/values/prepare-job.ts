// From an input object to what a process sees as `inputs`: defaults, types, names and sizes of files, listings, contents, secondary
// files, formats. Every problem is reported, not only the first.
import { type SourcePlace, VarveError } from '../../../core/errors.ts';
import { isList, type Json, type JsonObject } from '../../../core/json.ts';
import { cwlErrors } from '../error-codes.ts';
import type { Evaluator } from '../expressions/evaluator.ts';
import type { FetchText } from '../load/document-store.ts';
import { Problems } from '../load/problems.ts';
import { describeType, type FileTraits, type LoadListing } from '../model/cwl-type.ts';
import type { InputParameter, Process } from '../model/process.ts';
import { findRequirement, type Requirements } from '../model/requirement.ts';
import { checkValue } from './check-value.ts';
import { type CwlPath, isDirectory, isFile, mapAllPaths } from './file-object.ts';
import { mapWithTraits } from './file-traits.ts';
import { type FormatDoubt, settleFormats } from './format-check.ts';
import { completePath, withContents, withListing } from './local-files.ts';
import { withSecondaryFiles } from './secondary-files.ts';

export interface JobRules {
  readonly evaluator: Evaluator;
  readonly requirements: Requirements;
  /** Look for secondary files on disk: only for the input object that a user gives. */
  readonly discover: boolean;
  readonly fetchText?: FetchText | undefined;
  readonly placeOfInput?: ((name: string) => SourcePlace | undefined) | undefined;
}

type JobProcess = Pick<Process, 'inputs' | 'cwlVersion' | 'schemas'>;

/** The complete input object of a process; inputs that it does not declare are left out. */
export async function prepareJob(
  process: JobProcess,
  given: JsonObject,
  rules: JobRules,
): Promise<JsonObject> {
  const problems = new Problems();
  const guarded = (input: InputParameter, value: Json, step: () => Json): Json => {
    try {
      return step();
    } catch (error) {
      if (!(error instanceof VarveError)) throw error;
      problems.add(withPlace(error, rules.placeOfInput?.(input.name)));
      return value;
    }
  };
  const job: Record<string, Json> = {};
  for (const input of process.inputs) {
    const value = given[input.name] ?? input.default ?? null;
    checkInput(input, value, rules, problems);
    job[input.name] = guarded(input, value, () =>
      mapAllPaths(value, (path) => completePath(withoutDigest(path))),
    );
  }
  problems.throwIfAny();
  const listing = defaultListing(process, rules.requirements);
  for (const input of process.inputs)
    job[input.name] = guarded(input, job[input.name]!, () =>
      mapWithTraits(job[input.name]!, input.type, input, (path, traits) =>
        withLoads(path, traits, listing, process.cwlVersion !== 'v1.2'),
      ),
    );
  const doubts: FormatDoubt[] = [];
  const complete: Record<string, Json> = {};
  for (const input of process.inputs)
    complete[input.name] = guarded(input, job[input.name]!, () =>
      mapWithTraits(job[input.name]!, input.type, input, (path, traits) =>
        withCompanions(path, traits, job, rules, doubts),
      ),
    );
  problems.throwIfAny();
  await settleFormats(doubts, process.schemas ?? [], rules.fetchText);
  return complete;
}

function checkInput(input: InputParameter, value: Json, rules: JobRules, problems: Problems): void {
  const misfit = checkValue(value, input.type);
  if (misfit === undefined) return;
  const place = rules.placeOfInput?.(input.name);
  if (value === null)
    problems.add(cwlErrors.CWL_INPUT_MISSING.with({ place }, input.name, describeType(input.type)));
  else
    problems.add(
      cwlErrors.CWL_INPUT_TYPE.with({ place }, input.name + misfit.path, misfit.wanted, misfit.found),
    );
}

function withPlace(error: VarveError, place: SourcePlace | undefined): VarveError {
  if (place === undefined || error.place !== undefined) return error;
  return new VarveError(error.kind, error.code, error.message, {
    place,
    hint: error.hint,
    cause: error.cause,
    problems: error.problems,
  });
}

function withoutDigest(path: CwlPath): CwlPath {
  const { digest: _hidden, ...visible } = path;
  return visible as CwlPath;
}

/** v1.0 gave directories with their whole listing; later versions only on request. */
export function defaultListing(
  process: Pick<Process, 'cwlVersion'>,
  requirements: Requirements,
): LoadListing {
  const asked = findRequirement(requirements, 'LoadListingRequirement')?.loadListing;
  return asked ?? (process.cwlVersion === 'v1.0' ? 'deep_listing' : 'no_listing');
}

/** Contents and listing, as traits ask for them. */
export function withLoads(
  path: CwlPath,
  traits: FileTraits,
  listing: LoadListing,
  cutContents: boolean,
): CwlPath {
  if (isDirectory(path)) return withListing(path, traits.loadListing ?? listing);
  return traits.loadContents ? withContents(path, cutContents) : path;
}

function withCompanions(
  path: CwlPath,
  traits: FileTraits,
  job: JsonObject,
  rules: JobRules,
  doubts: FormatDoubt[],
): CwlPath {
  if (!isFile(path)) return path;
  const context = { inputs: job };
  const wanted = (traits.format ?? []).flatMap((one) => {
    const value = rules.evaluator.evaluate(one, { ...context, self: path as Json });
    return (isList(value) ? value : [value]).filter((format) => typeof format === 'string');
  });
  if (wanted.length > 0 && path.format !== undefined && !wanted.includes(path.format))
    doubts.push({ file: path.basename!, format: path.format, wanted });
  if (wanted.length > 0 && path.format === undefined && path.location !== undefined)
    doubts.push({ file: path.basename!, format: '', wanted });
  if (traits.secondaryFiles === undefined) return path;
  return withSecondaryFiles(path, traits.secondaryFiles, {
    evaluator: rules.evaluator,
    context,
    requiredByDefault: true,
    discover: rules.discover,
  });
}
