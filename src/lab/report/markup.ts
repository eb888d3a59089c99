// Small pieces of markup: text made safe, numbers made short.

/** Text as it may stand in HTML and SVG. */
export function safe(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** A coordinate with no more digits than a drawing needs. */
export function at(value: number): string {
  return String(Math.round(value * 100) / 100);
}

/** A share with three digits after the point. */
export function share(value: number): string {
  return (Math.abs(value) < 0.0005 ? 0 : value).toFixed(3);
}

export function percent(value: number, digits = 0): string {
  return `${(value * 100).toFixed(digits)} %`;
}

/** Bytes with a unit. */
export function bytes(value: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'];
  const step = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, value)) / 3)));
  return `${Number((value / 1000 ** step).toPrecision(3))} ${units[step]}`;
}

/** Seconds with a unit. */
export function seconds(value: number): string {
  if (value >= 86_400) return `${Number((value / 86_400).toPrecision(3))} days`;
  if (value >= 3600) return `${Number((value / 3600).toPrecision(3))} h`;
  return value >= 1 ? `${Number(value.toPrecision(3))} s` : `${Number((value * 1000).toPrecision(3))} ms`;
}
