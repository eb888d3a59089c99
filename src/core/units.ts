// Quantities as people write them: bytes (`20GB`, `512 MiB`), durations (`30s`, `1h30m`), percentages (`80%`). Reading is strict:
// what is not understood gives undefined, and the caller says where it stood.

const byteUnits: Readonly<Record<string, number>> = Object.fromEntries([
  ['', 1],
  ['b', 1],
  ...['k', 'm', 'g', 't', 'p'].flatMap((letter, index) => [
    [letter, 1000 ** (index + 1)],
    [`${letter}b`, 1000 ** (index + 1)],
    [`${letter}i`, 1024 ** (index + 1)],
    [`${letter}ib`, 1024 ** (index + 1)],
  ]),
]);

const durationUnits: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

/** Bytes in `20GB`, `1.5 TiB`, `4096`; units are decimal unless they contain an i. */
export function parseBytes(text: string): number | undefined {
  const match = /^(\d+(?:\.\d+)?)\s*([a-z]*)$/i.exec(text.trim());
  const unit = match ? byteUnits[match[2]!.toLowerCase()] : undefined;
  if (!match || unit === undefined) return undefined;
  const bytes = Math.round(Number(match[1]) * unit);
  return Number.isSafeInteger(bytes) ? bytes : undefined;
}

/** Milliseconds in `250ms`, `30s`, `1h30m`, `7d`, `2w`; a number without a unit is refused, except 0. */
export function parseDuration(text: string): number | undefined {
  const trimmed = text.trim();
  if (trimmed === '0') return 0;
  if (!/^(?:\d+(?:\.\d+)?\s*(?:ms|[smhdw])\s*)+$/.test(trimmed)) return undefined;
  let total = 0;
  for (const [, count, unit] of trimmed.matchAll(/(\d+(?:\.\d+)?)\s*(ms|[smhdw])/g)) {
    total += Number(count) * durationUnits[unit!]!;
  }
  const rounded = Math.round(total);
  return Number.isSafeInteger(rounded) ? rounded : undefined;
}

/** The fraction in `80%`: 0.8. Only 0 to 100 is a percentage. */
export function parsePercent(text: string): number | undefined {
  const match = /^(\d+(?:\.\d+)?)\s*%$/.exec(text.trim());
  const percent = match ? Number(match[1]) : Number.NaN;
  return percent <= 100 ? percent / 100 : undefined;
}

/** `1.5 GB`, `812 B`: decimal units, three figures. */
export function formatBytes(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'];
  let value = bytes;
  let index = 0;
  while (Math.abs(value) >= 999.5 && index < units.length - 1) {
    value /= 1000;
    index += 1;
  }
  const digits = index === 0 || Math.abs(value) >= 99.95 ? 0 : 1;
  return `${value.toFixed(digits).replace(/\.0$/, '')} ${units[index]}`;
}

/** `450 ms`, `3.2 s`, `2 m 03 s`, `1 h 05 m`, `2 d 04 h`. */
export function formatDuration(ms: number): string {
  if (ms < 0) return `-${formatDuration(-ms)}`;
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(1).replace(/\.0$/, '')} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 3600) return `${Math.floor(seconds / 60)} m ${twoDigits(seconds % 60)} s`;
  const minutes = Math.round(ms / 60_000);
  if (minutes < 1440) return `${Math.floor(minutes / 60)} h ${twoDigits(minutes % 60)} m`;
  const hours = Math.round(ms / 3_600_000);
  return `${Math.floor(hours / 24)} d ${twoDigits(hours % 24)} h`;
}

/** `42%`, `99.5%`; never rounds up to 100%. */
export function formatPercent(fraction: number): string {
  const percent = Math.floor(fraction * 1000 + 1e-9) / 10;
  return `${percent >= 10 && percent < 99 ? Math.floor(percent) : percent}%`;
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0');
}
