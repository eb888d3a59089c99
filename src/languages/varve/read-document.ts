// Text to value: JSON by JSON.parse (a hundred thousand actions in a fraction of a second), everything else by the YAML
// parser. Size, depth, duplicate keys and alias bombs are refused here, before anybody walks the value.
import type { SourcePlace, VarveError } from '../../core/errors.ts';
import type { Json } from '../../core/json.ts';
import { languageErrors } from './error-codes.ts';
import { countMembers, duplicateKeys, locateInJson, withoutTrailingCommas } from './json-text.ts';
import { type PlaceRequest, problemsError, type ReadDocument } from './problems.ts';
import type { TextProblem } from './yaml-text.ts';

/** Longest texts that are read, in characters; V8 itself ends at 512 Mi. */
export const documentLimits = {
  json: 500 * 2 ** 20,
  yaml: 16 * 2 ** 20,
  depth: 32,
  jsonValues: 50_000_000,
  yamlValues: 5_000_000,
} as const;

/** Reads JSON (by name `*.json`, or because it starts like it) or YAML; throws one error with all problems. */
export async function readDocument(file: string, text: string): Promise<ReadDocument> {
  const named = /\.json$/i.test(file);
  if (named || /^\s*[{[]/.test(text.slice(0, 1000))) {
    checkLength(file, 'JSON', text, documentLimits.json);
    const read = readJson(file, text);
    if (!('failure' in read)) return read;
    if (named) throw oneProblem(file, read.failure);
  }
  checkLength(file, 'YAML', text, documentLimits.yaml);
  const { readYaml } = await import('./yaml-text.ts');
  const read = readYaml(text);
  if ('problems' in read) {
    const problems = read.problems.map((problem) => textError(file, text, problem));
    throw problemsError(file, problems, problems.length);
  }
  checkSize(file, read.value, documentLimits.yamlValues);
  const places = placeFinder(file, text);
  return { file, value: read.value, locate: (requests) => read.locate(requests).map(places) };
}

/** A document that was built in memory: it has no places. */
export function documentFromValue(file: string, value: Json): ReadDocument {
  checkSize(file, value, documentLimits.jsonValues);
  return { file, value, locate: (requests) => requests.map(() => undefined) };
}

function readJson(file: string, text: string): ReadDocument | { readonly failure: VarveError } {
  const places = placeFinder(file, text);
  let parsed = text;
  let value: Json;
  try {
    value = JSON.parse(text) as Json;
  } catch (error) {
    const repaired = withoutTrailingCommas(text);
    if (repaired === undefined) return { failure: syntaxError(error as SyntaxError, text, places) };
    try {
      value = JSON.parse(repaired) as Json;
      parsed = repaired;
    } catch (remaining) {
      return { failure: syntaxError(remaining as SyntaxError, text, places) };
    }
  }
  const members = checkSize(file, value, documentLimits.jsonValues);
  if (countMembers(parsed) !== members) {
    const problems = duplicateKeys(parsed).map(({ key, offset }) =>
      languageErrors.DOCUMENT_DUPLICATE_KEY.with({ place: places(offset) }, key),
    );
    throw problemsError(file, problems, problems.length);
  }
  const locate = (requests: readonly PlaceRequest[]) => locateInJson(parsed, requests).map(places);
  return { file, value, locate };
}

function syntaxError(error: SyntaxError, text: string, places: (offset: number) => SourcePlace): VarveError {
  const position = /at position (\d+)/.exec(error.message)?.[1];
  const place = places(position === undefined ? text.trimEnd().length : Number(position));
  const detail = error.message.replace(/ (in JSON )?at position.*$/s, '').replace(/, "[\s\S]*$/, '');
  return languageErrors.DOCUMENT_SYNTAX.with({ place }, detail.slice(0, 200));
}

function textError(file: string, text: string, problem: TextProblem): VarveError {
  const place = placeFinder(file, text)(problem.offset);
  if (problem.code === 'DOCUMENT_DUPLICATE_KEY')
    return languageErrors.DOCUMENT_DUPLICATE_KEY.with({ place }, problem.detail);
  if (problem.code === 'DOCUMENT_ALIASES') return languageErrors.DOCUMENT_ALIASES.with({ place });
  if (problem.code === 'DOCUMENT_TOO_DEEP')
    return languageErrors.DOCUMENT_TOO_DEEP.with({ place }, documentLimits.depth);
  return languageErrors.DOCUMENT_SYNTAX.with({ place }, problem.detail.slice(0, 300));
}

function checkLength(file: string, format: string, text: string, limit: number): void {
  if (text.length <= limit) return;
  throw oneProblem(file, languageErrors.DOCUMENT_TOO_LARGE(format, text.length, limit));
}

/** Counts the members of all objects without recursion; refuses what is too deep or, through aliases, too much. */
function checkSize(file: string, root: Json, limit: number): number {
  let members = 0;
  let values = 0;
  let level: object[] = typeof root === 'object' && root !== null ? [root] : [];
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > documentLimits.depth)
      throw oneProblem(file, languageErrors.DOCUMENT_TOO_DEEP(documentLimits.depth));
    const below: object[] = [];
    for (const container of level) {
      if (Array.isArray(container)) {
        values += container.length;
        for (const value of container) if (typeof value === 'object' && value !== null) below.push(value);
      } else {
        for (const key in container) {
          members += 1;
          const value = (container as { readonly [key: string]: Json })[key];
          if (typeof value === 'object' && value !== null) below.push(value);
        }
      }
      if (values + members > limit) throw oneProblem(file, languageErrors.DOCUMENT_ALIASES());
    }
    level = below;
  }
  return members;
}

function oneProblem(file: string, problem: VarveError): VarveError {
  return problemsError(file, [problem], 1);
}

/** Turns offsets into lines and columns; the line starts are found on the first call. */
function placeFinder(file: string, text: string): (offset: number) => SourcePlace {
  let starts: number[] | undefined;
  return (offset) => {
    if (starts === undefined) {
      starts = [0];
      for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
    }
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (starts[middle]! <= offset) low = middle;
      else high = middle - 1;
    }
    return { file, line: low + 1, column: offset - starts[low]! + 1 };
  };
}
