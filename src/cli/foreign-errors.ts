// Turns errors of the operating system that no one closer to the cause has explained into errors of Varve. Anything else that is
// not a VarveError is a bug.
import { VarveError } from '../core/errors.ts';
import { cliErrors } from './error-codes.ts';

type SystemError = NodeJS.ErrnoException & { readonly address?: string; readonly port?: number };

const explanations: Readonly<Record<string, (what: string) => VarveError>> = {
  EACCES: cliErrors.SYSTEM_DENIED,
  EPERM: cliErrors.SYSTEM_DENIED,
  EROFS: cliErrors.SYSTEM_DENIED,
  ENOENT: cliErrors.SYSTEM_MISSING,
  ENOTDIR: cliErrors.SYSTEM_MISSING,
  ENOSPC: cliErrors.SYSTEM_FULL,
  EDQUOT: cliErrors.SYSTEM_FULL,
  EMFILE: cliErrors.SYSTEM_LIMIT,
  ENFILE: cliErrors.SYSTEM_LIMIT,
  EAGAIN: cliErrors.SYSTEM_LIMIT,
  ENOMEM: cliErrors.SYSTEM_LIMIT,
  EIO: cliErrors.SYSTEM_UNAVAILABLE,
  ESTALE: cliErrors.SYSTEM_UNAVAILABLE,
  ECONNREFUSED: cliErrors.SYSTEM_UNAVAILABLE,
  ECONNRESET: cliErrors.SYSTEM_UNAVAILABLE,
  EHOSTUNREACH: cliErrors.SYSTEM_UNAVAILABLE,
  ENETUNREACH: cliErrors.SYSTEM_UNAVAILABLE,
  ENOTFOUND: cliErrors.SYSTEM_UNAVAILABLE,
  ETIMEDOUT: cliErrors.SYSTEM_UNAVAILABLE,
};

/** The error as a VarveError, or undefined when it is nobody's but ours. */
export function explainedError(error: unknown): VarveError | undefined {
  if (error instanceof VarveError) return error;
  const system = error as Partial<SystemError> | null | undefined;
  const explain = typeof system?.syscall === 'string' ? explanations[system.code ?? ''] : undefined;
  if (explain === undefined || system === null || system === undefined) return undefined;
  const target = system.path ?? (system.address && `${system.address}:${system.port}`);
  return explain(`${system.syscall}${target ? ` ${target}` : ''}`);
}
