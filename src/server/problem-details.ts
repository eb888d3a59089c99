// Errors as RFC 9457 problem details, with the stable codes of the error tables.
import type { Static } from 'typebox';
import type { problemDetails, problemItem as problemItemSchema } from '../api/contract/model.ts';
import { errorKinds, type VarveError } from '../core/errors.ts';
import { missingFilesOf } from './inputs/missing-files.ts';

export type ProblemDetails = Static<typeof problemDetails>;
export type ProblemItem = Static<typeof problemItemSchema>;

/** Names a code; docs/reference/errors.md explains it. */
const typePrefix = 'urn:varve:error:';

export function toProblem(error: VarveError, status: number, requestId: string | undefined): ProblemDetails {
  const missingFiles = missingFilesOf(error);
  return {
    type: `${typePrefix}${error.code}`,
    title: errorKinds[error.kind].meaning,
    status,
    detail: error.message,
    code: error.code,
    kind: error.kind,
    ...(requestId === undefined ? {} : { requestId }),
    ...(error.hint === undefined ? {} : { hint: error.hint }),
    ...(error.place === undefined ? {} : { place: { ...error.place } }),
    ...(error.problems.length === 0 ? {} : { problems: error.problems.map(problemItem) }),
    ...(missingFiles.length === 0 ? {} : { missingFiles: [...missingFiles] }),
  };
}

export function problemItem(error: VarveError): ProblemItem {
  const { code, message, place, hint } = error;
  return {
    code,
    message,
    ...(place === undefined ? {} : { place: { ...place } }),
    ...(hint === undefined ? {} : { hint }),
  };
}
