// Turns whatever a command threw into a message on stderr and an exit code. Never a stack trace: the details of a bug go to a file.

import { type Environment, variable } from '../config/environment.ts';
import { errorKinds, formatError, type VarveError } from '../core/errors.ts';
import type { Json } from '../core/json.ts';
import { crashReport, maskPasswords, writeCrashReport } from './crash-report.ts';
import { cliErrors } from './error-codes.ts';
import { explainedError } from './foreign-errors.ts';
import type { Style } from './terminal/style.ts';

export interface ErrorSurroundings {
  readonly argv: readonly string[];
  readonly environment: Environment;
  readonly home: string;
  readonly json: boolean;
  readonly style: Style;
  readonly write: (text: string) => void;
}

/** Reports the error and gives the exit code from the table of error kinds. */
export function reportError(error: unknown, surroundings: ErrorSurroundings): number {
  const known = explainedError(error) ?? reportBug(error, surroundings);
  if (surroundings.json) surroundings.write(`${JSON.stringify({ error: errorAsJson(known) })}\n`);
  else surroundings.write(`${errorText(known, surroundings.style)}\n`);
  return errorKinds[known.kind].exitCode;
}

function reportBug(error: unknown, { argv, environment, home, write }: ErrorSurroundings): VarveError {
  const at = new Date();
  const report = crashReport(error, argv, at);
  const what = maskPasswords((error instanceof Error ? error.message : String(error)).split('\n')[0]!);
  if (variable(environment, 'VARVE_DEBUG') === undefined) {
    return cliErrors.BUG(what, writeCrashReport(home, report, at));
  }
  write(report);
  return cliErrors.BUG(what, 'the lines above');
}

/** Compilers and editors know `file:line:column: message`; only messages without a place begin with our name. */
function errorText(error: VarveError, style: Style): string {
  const [head = '', ...rest] = formatError(error).split('\n');
  const prefix = error.place ? '' : 'varve: ';
  return [`${prefix}${style.red(head)}`, ...rest.map((line) => style.dim(line))].join('\n');
}

/** The error for programs: the same fields that the API gives. */
export function errorAsJson(error: VarveError): Json {
  return {
    code: error.code,
    kind: error.kind,
    message: error.message,
    ...(error.place && { place: { ...error.place } }),
    ...(error.hint && { hint: error.hint }),
    ...(error.problems.length > 0 && { problems: error.problems.map(errorAsJson) }),
  };
}
