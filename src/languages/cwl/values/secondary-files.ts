// Secondary files: which ones a pattern or expression asks for, found among those a File carries, or beside it on disk.
import { isList, isObject, type Json } from '../../../core/json.ts';
import { cwlErrors } from '../error-codes.ts';
import type { Evaluator, ExpressionContext } from '../expressions/evaluator.ts';
import { hasExpression } from '../expressions/template.ts';
import type { SecondaryFilePattern } from '../model/cwl-type.ts';
import {
  applyPattern,
  basenameOf,
  type CwlFile,
  type CwlPath,
  isPath,
  siblingLocation,
} from './file-object.ts';
import { completePath, kindAt } from './local-files.ts';

export interface SecondaryFileRules {
  readonly evaluator: Evaluator;
  /** `self` is set to the primary file. */
  readonly context: ExpressionContext;
  /** What applies when the pattern does not say whether it is required. */
  readonly requiredByDefault: boolean;
  /** Whether files that the object does not name may be looked for on disk. */
  readonly discover: boolean;
}

/** The file with its secondary files; throws when a required one is missing. */
export function withSecondaryFiles(
  file: CwlFile,
  patterns: readonly SecondaryFilePattern[],
  rules: SecondaryFileRules,
): CwlFile {
  const found: CwlPath[] = [...(file.secondaryFiles ?? [])];
  for (const pattern of patterns) {
    const required = isRequired(pattern, file, rules);
    for (const wanted of wantedBy(pattern, file, rules)) {
      const secondary =
        typeof wanted === 'string'
          ? findNamed(wanted, file, found, rules.discover)
          : (found.find((one) => one.location === wanted.location) ?? wanted);
      if (secondary === undefined) {
        if (required) throw cwlErrors.CWL_SECONDARY_FILE(file.basename ?? 'a file', String(wanted));
      } else if (!found.includes(secondary)) found.push(secondary);
    }
  }
  return found.length === 0 ? file : { ...file, secondaryFiles: found };
}

function isRequired(pattern: SecondaryFilePattern, file: CwlFile, rules: SecondaryFileRules): boolean {
  const { required = rules.requiredByDefault } = pattern;
  if (typeof required === 'boolean') return required;
  const value = rules.evaluator.evaluate(required, { ...rules.context, self: file });
  if (value === null) return false;
  if (typeof value !== 'boolean')
    throw cwlErrors.CWL_EXPRESSION(required, 'secondaryFiles.required must be true or false');
  return value;
}

function wantedBy(
  pattern: SecondaryFilePattern,
  file: CwlFile,
  rules: SecondaryFileRules,
): (string | CwlPath)[] {
  if (!hasExpression(pattern.pattern)) return [applyPattern(file.basename!, pattern.pattern)];
  const value = rules.evaluator.evaluate(pattern.pattern, { ...rules.context, self: file });
  return (isList(value) ? value : [value]).flatMap((one): (string | CwlPath)[] =>
    asWanted(one, pattern.pattern),
  );
}

function asWanted(value: Json, pattern: string): (string | CwlPath)[] {
  if (value === null) return [];
  if (typeof value === 'string') return [value];
  if (isPath(value)) return [value];
  if (isObject(value) && typeof value.basename === 'string') return [value.basename];
  throw cwlErrors.CWL_EXPRESSION(pattern, 'a secondary file must be a name, a File or a Directory');
}

function findNamed(
  name: string,
  file: CwlFile,
  known: readonly CwlPath[],
  discover: boolean,
): CwlPath | undefined {
  const base = name.includes('/') ? name.slice(name.lastIndexOf('/') + 1) : name;
  const given = known.find((one) => nameOf(one) === base);
  if (given !== undefined || !discover || file.location === undefined) return given;
  const location = siblingLocation(file.location, name);
  const kind = kindAt(location);
  return kind === undefined ? undefined : completePath({ class: kind, location });
}

function nameOf(path: CwlPath): string | undefined {
  return path.basename ?? (path.location === undefined ? undefined : basenameOf(path.location));
}
