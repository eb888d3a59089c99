// Whether another try may help: nobody answers, or the server cannot at the moment.
import { VarveError } from '../core/errors.ts';

const passingKinds = new Set(['unavailable', 'exhausted', 'timeout']);

export function isPassing(error: unknown): boolean {
  if (error instanceof VarveError) return passingKinds.has(error.kind) || error.code === 'SERVER_BUG';
  return error instanceof Error && error.name === 'TimeoutError';
}
