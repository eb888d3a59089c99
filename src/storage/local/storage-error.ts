// The one place where errors of the operating system become errors of Varve.
import { VarveError } from '../../core/errors.ts';
import { storageErrors } from '../error-codes.ts';

const byErrno = {
  ENOSPC: 'STORAGE_FULL',
  EDQUOT: 'STORAGE_FULL',
  EROFS: 'STORAGE_READ_ONLY',
  EACCES: 'STORAGE_DENIED',
  EPERM: 'STORAGE_DENIED',
  EMFILE: 'STORAGE_TOO_MANY_OPEN',
  ENFILE: 'STORAGE_TOO_MANY_OPEN',
  ENAMETOOLONG: 'STORAGE_PATH_TOO_LONG',
} as const;

/** The error of Varve for a failed file operation: `doing` is a verb in plain words. Errors of Varve pass unchanged. */
export function storageError(error: unknown, doing: string, path: string): unknown {
  if (error instanceof VarveError) return error;
  const code = errnoOf(error);
  if (code === undefined) return error;
  const known = byErrno[code as keyof typeof byErrno];
  if (known) return storageErrors[known].with({ cause: error }, doing, path);
  if (code === 'ENOTDIR') return storageErrors.STORAGE_NOT_A_FOLDER.with({ cause: error }, path);
  return storageErrors.STORAGE_IO.with({ cause: error }, doing, path, code);
}

/** The name of the system error (`ENOENT`), or undefined for anything else. */
export function errnoOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || error instanceof VarveError) return undefined;
  const { code, syscall } = error as NodeJS.ErrnoException;
  return typeof code === 'string' && (syscall !== undefined || /^E[A-Z0-9]+$/.test(code)) ? code : undefined;
}

export function isErrno(error: unknown, ...codes: readonly string[]): boolean {
  const code = errnoOf(error);
  return code !== undefined && codes.includes(code);
}
