// Cursors of pages: opaque to callers, checked when they come back.
import { serverErrors } from './error-codes.ts';

/** The cursor of the page that begins after this place. */
export function toCursor(list: string, place: number | string | undefined): string | null {
  if (place === undefined) return null;
  return Buffer.from(JSON.stringify([list, place])).toString('base64url');
}

/** The place that a cursor of this list stands for. */
export function fromCursor(list: string, cursor: string | undefined): number | undefined {
  const place = readCursor(list, cursor);
  if (place === undefined) return undefined;
  if (!Number.isSafeInteger(place) || (place as number) < 0) throw serverErrors.CURSOR_INVALID();
  return place as number;
}

export function fromTextCursor(list: string, cursor: string | undefined): string | undefined {
  const place = readCursor(list, cursor);
  if (place === undefined) return undefined;
  if (typeof place !== 'string' || place.includes('\0')) throw serverErrors.CURSOR_INVALID();
  return place;
}

function readCursor(list: string, cursor: string | undefined): unknown {
  if (cursor === undefined) return undefined;
  try {
    const [of, place] = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as unknown[];
    if (of === list) return place;
  } catch {
    // Not one of ours: explained below.
  }
  throw serverErrors.CURSOR_INVALID();
}
