// A refusal or failure of the server as the error that it was there.
import { type ErrorKind, errorKinds, type SourcePlace, VarveError } from '../../core/errors.ts';
import { apiErrors } from '../error-codes.ts';

interface Problem {
  readonly code: string;
  readonly kind?: string;
  readonly detail?: string;
  readonly message?: string;
  readonly hint?: string;
  readonly place?: SourcePlace;
  readonly problems?: readonly Problem[];
  readonly missingFiles?: readonly string[];
}

/** An error that a server reported. */
export class ServerError extends VarveError {
  readonly status: number;
  /** Files that a submission named and did not bring, by their absolute paths. */
  readonly missingFiles: readonly string[];

  constructor(status: number, problem: Problem) {
    const kind = isKind(problem.kind) ? problem.kind : 'failed';
    super(kind, problem.code, problem.detail ?? '', {
      hint: problem.hint,
      place: problem.place,
      problems: (problem.problems ?? []).map(
        ({ code, message = '', hint, place }) => new VarveError(kind, code, message, { hint, place }),
      ),
    });
    this.status = status;
    this.missingFiles = problem.missingFiles ?? [];
  }
}

export async function failureOf(response: Response, url: string): Promise<VarveError> {
  const text = await response.text().catch(() => '');
  const type = response.headers.get('content-type') ?? '';
  if (!type.startsWith('application/problem+json')) {
    return apiErrors.SERVER_ANSWER(url, `status ${response.status}`);
  }
  return new ServerError(response.status, JSON.parse(text) as Problem);
}

function isKind(kind: string | undefined): kind is ErrorKind {
  return kind !== undefined && Object.hasOwn(errorKinds, kind);
}
