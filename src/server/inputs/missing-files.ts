// Which files a refused submission did not bring, so that a client can upload them and submit again.
import type { VarveError } from '../../core/errors.ts';

const missing = new WeakMap<VarveError, readonly string[]>();

export function withMissingFiles(error: VarveError, paths: readonly string[]): VarveError {
  if (paths.length > 0) missing.set(error, paths);
  return error;
}

/** Absolute paths in the submitter's world. */
export function missingFilesOf(error: VarveError): readonly string[] {
  return missing.get(error) ?? [];
}
