// Durations and sizes as people write them: `90s`, `1h30m`, `2GB`, `512MiB`, or plain seconds and bytes.

const millisecondsPer: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

const bytesPer: Readonly<Record<string, number>> = {
  b: 1,
  kb: 1e3,
  mb: 1e6,
  gb: 1e9,
  tb: 1e12,
  pb: 1e15,
  kib: 2 ** 10,
  mib: 2 ** 20,
  gib: 2 ** 30,
  tib: 2 ** 40,
  pib: 2 ** 50,
};

export const durationForm = 'a duration such as 90 (seconds), "500ms", "90s", "10m", "1h30m" or "2d"';
export const sizeForm = 'a size such as 1000000 (bytes), "500MB", "2GB" (10^9 bytes) or "2GiB" (2^30 bytes)';
export const durationPattern = '^(\\d+(\\.\\d+)?(ms|s|m|h|d))+$';
export const sizePattern = '^\\d+(\\.\\d+)?\\s*([KMGTP]i?)?[Bb]$';

const longest = Number.MAX_SAFE_INTEGER;

/** Milliseconds of a duration (a plain number counts seconds), or undefined when it is none. */
export function parseDuration(value: string | number): number | undefined {
  if (typeof value === 'number') return inRange(value * 1000);
  if (!new RegExp(durationPattern).test(value)) return undefined;
  let total = 0;
  for (const [, amount, unit] of value.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g))
    total += Number(amount) * millisecondsPer[unit!]!;
  return inRange(total);
}

/** Bytes of a size (a plain number counts bytes), or undefined when it is none. */
export function parseSize(value: string | number): number | undefined {
  if (typeof value === 'number') return inRange(value);
  const match = /^(\d+(?:\.\d+)?)\s*([a-z]+)$/i.exec(value);
  const unit = match ? bytesPer[match[2]!.toLowerCase()] : undefined;
  return unit === undefined ? undefined : inRange(Number(match![1]) * unit);
}

function inRange(value: number): number | undefined {
  return Number.isFinite(value) && value >= 0 && value <= longest ? Math.round(value) : undefined;
}
