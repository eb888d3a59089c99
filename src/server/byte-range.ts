// The part of a file that a Range header asks for. One range is served; of several, or of one that makes no sense, the whole file is.
import { serverErrors } from './error-codes.ts';

export interface ByteRange {
  readonly first: number;
  readonly last: number;
}

/** Undefined for the whole file; throws when the range lies outside it. */
export function byteRange(header: string | undefined, sizeBytes: number): ByteRange | undefined {
  const [, from, to] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? '') ?? [];
  if (header === undefined || from === undefined || to === undefined || (from === '' && to === '')) {
    return undefined;
  }
  const suffix = from === '';
  const first = suffix ? Math.max(0, sizeBytes - Number(to)) : Number(from);
  const last = suffix || to === '' ? sizeBytes - 1 : Math.min(Number(to), sizeBytes - 1);
  if (!suffix && to !== '' && Number(to) < Number(from)) return undefined;
  if (first > last || first >= sizeBytes) throw serverErrors.RANGE_INVALID(header, sizeBytes);
  return { first, last };
}
