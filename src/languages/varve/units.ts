// Durations and sizes of documents: text with units, or plain numbers, which count seconds and bytes.
import { parseBytes, parseDuration as parseDurationText } from '../../core/units.ts';

export const durationForm = 'a duration such as 90 (seconds), "500ms", "90s", "10m", "1h30m" or "2d"';
export const sizeForm = 'a size such as 1000000 (bytes), "500MB", "2GB" (10^9 bytes) or "2GiB" (2^30 bytes)';
/** The same for JSON Schema. */
export const durationPattern = '^(\\d+(\\.\\d+)?\\s*(ms|[smhdw])\\s*)+$|^0$';
export const sizePattern = '^\\d+(\\.\\d+)?\\s*([kKmMgGtTpP]i?)?[bB]?$';

/** The largest plain numbers; what they stand for is still an exact integer. */
export const mostSeconds = 9e12;
export const mostBytes = 9e15;

/** Milliseconds of a duration, or undefined when it is none. */
export function parseDuration(value: string | number): number | undefined {
  if (typeof value === 'string') return parseDurationText(value);
  return value >= 0 && value <= mostSeconds ? Math.round(value * 1000) : undefined;
}

/** Bytes of a size, or undefined when it is none. */
export function parseSize(value: string | number): number | undefined {
  if (typeof value === 'string') return parseBytes(value);
  return value >= 0 && value <= mostBytes ? Math.round(value) : undefined;
}
