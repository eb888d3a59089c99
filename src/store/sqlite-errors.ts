// The one place where SQLite's result codes become Varve's errors.
import { VarveError } from '../core/errors.ts';
import { storeErrors } from './error-codes.ts';

const result = {
  busy: 5,
  locked: 6,
  readOnly: 8,
  ioError: 10,
  corrupt: 11,
  full: 13,
  cannotOpen: 14,
  constraint: 19,
  notADatabase: 26,
};

function primaryCode(error: unknown): number | undefined {
  const code = (error as { errcode?: unknown } | null | undefined)?.errcode;
  return typeof code === 'number' ? code & 0xff : undefined;
}

export function isBusy(error: unknown): boolean {
  const code = primaryCode(error);
  return code === result.busy || code === result.locked;
}

const fatal: ReadonlySet<number> = new Set([
  result.ioError,
  result.corrupt,
  result.full,
  result.notADatabase,
]);

/** What hurts every statement, not only the one that met it. */
export function isFatal(error: unknown): boolean {
  const code = primaryCode(error) ?? primaryCode((error as { cause?: unknown } | null)?.cause);
  return code !== undefined && fatal.has(code);
}

/** What the file system itself says while the folder and the bell are made; anything else passes unchanged. */
function fileError(error: unknown, path: string): unknown {
  const { code, syscall, message } = error as NodeJS.ErrnoException;
  if (syscall === undefined) return error;
  const extras = { cause: error };
  if (code === 'EROFS') return storeErrors.STORE_READ_ONLY.with(extras, path);
  if (code === 'ENOSPC') return storeErrors.STORE_FULL.with(extras, path);
  return storeErrors.STORE_CANNOT_OPEN.with(extras, path, message);
}

/** Maps what node:sqlite and the file system throw; other errors pass unchanged. */
export function sqliteError(error: unknown, path: string, doing: string): unknown {
  const code = primaryCode(error);
  if (error instanceof VarveError) return error;
  if (code === undefined) return fileError(error, path);
  const text = (error as Error).message;
  const extras = { cause: error };
  switch (code) {
    case result.busy:
    case result.locked:
      return storeErrors.STORE_UNAVAILABLE.with(extras, path, 'another process holds its lock');
    case result.readOnly:
      return storeErrors.STORE_READ_ONLY.with(extras, path);
    case result.full:
      return storeErrors.STORE_FULL.with(extras, path);
    case result.cannotOpen:
      return storeErrors.STORE_CANNOT_OPEN.with(extras, path, text);
    case result.corrupt:
    case result.notADatabase:
      return storeErrors.STORE_CORRUPT.with(extras, path, text);
    case result.ioError:
      return storeErrors.STORE_UNAVAILABLE.with(extras, path, text);
    case result.constraint:
      return storeErrors.STORE_CONFLICT.with(extras, text);
    default:
      return storeErrors.STORE_QUERY_FAILED.with(extras, `${text} (${doing.slice(0, 200)})`);
  }
}
