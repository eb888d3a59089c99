// The one place where PostgreSQL's SQLSTATEs and socket errors become Varve's errors.
import { VarveError } from '../core/errors.ts';
import { storeErrors } from './error-codes.ts';

const retryableStates = new Set(['40001', '40P01', '55P03']);
const unreachableStates = new Set([
  '57P01',
  '57P02',
  '57P03',
  '53300',
  '08000',
  '08001',
  '08003',
  '08004',
  '08006',
]);
const absentCodes = new Set([
  'ECONNREFUSED',
  'ENOENT',
  'ENOTFOUND',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EAI_AGAIN',
]);
const socketCodes = new Set([...absentCodes, 'ECONNRESET', 'EPIPE', 'ETIMEDOUT']);

function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | undefined)?.code;
  return typeof code === 'string' ? code : '';
}

/** The transaction was undone through no fault of its own and may be tried again at once. */
export function isRetryable(error: unknown): boolean {
  return retryableStates.has(codeOf(error));
}

/** Nobody answers at the address: at the first try more likely a wrong address than a short absence. */
export function isAbsent(error: unknown): boolean {
  return (
    absentCodes.has(codeOf(error)) || (error instanceof Error && /timeout exceeded when/.test(error.message))
  );
}

/** The server is away, starting, stopping or full of connections. */
export function isUnreachable(error: unknown): boolean {
  if (error instanceof VarveError) return false;
  const code = codeOf(error);
  if (unreachableStates.has(code) || socketCodes.has(code)) return true;
  const text = error instanceof Error ? error.message : '';
  return /Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error/.test(
    text,
  );
}

/** Maps what `pg` throws; errors that are not PostgreSQL's pass unchanged. */
export function postgresError(error: unknown, where: string, doing: string): unknown {
  if (error instanceof VarveError) return error;
  const extras = { cause: error };
  const text = error instanceof Error ? error.message : String(error);
  if (isUnreachable(error) || isRetryable(error))
    return storeErrors.STORE_UNAVAILABLE.with(extras, where, text);
  const code = codeOf(error);
  if (code === '') return error;
  if (code === '3D000' || code.startsWith('28'))
    return storeErrors.STORE_CANNOT_OPEN.with(extras, where, text);
  if (code === '53100') return storeErrors.STORE_FULL.with(extras, where);
  if (code === '25006') return storeErrors.STORE_READ_ONLY.with(extras, where);
  if (code.startsWith('XX')) return storeErrors.STORE_CORRUPT.with(extras, where, text);
  if (code.startsWith('23')) return storeErrors.STORE_CONFLICT.with(extras, text);
  return storeErrors.STORE_QUERY_FAILED.with(extras, `${text} (${doing.slice(0, 200)})`);
}
