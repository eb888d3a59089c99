// Errors of collecting as failures of the attempt: another try cannot help, unless it was the disk that failed.
import { errorKinds, VarveError } from '../../../core/errors.ts';
import type { Collected } from '../../../core/ports/action-type.ts';

export function failed(error: VarveError, retryable: boolean): Collected {
  const hint = error.hint === undefined ? '' : ` (${error.hint})`;
  const more = error.problems.map((problem) => `\n${problem.message}`).join('');
  return { failure: { code: error.code, message: `${error.message}${hint}${more}`, retryable } };
}

/** Runs `work`; an expected error becomes a failure of the attempt. */
export async function collecting(work: () => Promise<Collected>): Promise<Collected> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof VarveError && errorKinds[error.kind].retry === 'never') return failed(error, false);
    throw error;
  }
}
