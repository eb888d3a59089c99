// Sets of row ids as short text: ascending ranges such as `3-7,9,12-40`. The datasets of a run are mostly born together, so that
// a run of hundreds of actions is remembered in a few dozen characters.

/** The text of a set; repeated ids count once. */
export function encodeIds(ids: Iterable<number>): string {
  const sorted = Float64Array.from(new Set(ids)).sort();
  const parts: string[] = [];
  for (let i = 0; i < sorted.length; ) {
    const first = sorted[i]!;
    let last = first;
    for (i += 1; i < sorted.length && sorted[i] === last + 1; i += 1) last = sorted[i]!;
    parts.push(first === last ? `${first}` : `${first}-${last}`);
  }
  return parts.join(',');
}

/** How many ids a text names. */
export function countIds(text: string): number {
  let count = 0;
  for (const part of text === '' ? [] : text.split(',')) {
    const dash = part.indexOf('-');
    count += dash < 0 ? 1 : Number(part.slice(dash + 1)) - Number(part.slice(0, dash)) + 1;
  }
  return count;
}

/** The ids of a text that `encodeIds` made, ascending. */
export function decodeIds(text: string): number[] {
  const ids: number[] = [];
  if (text === '') return ids;
  for (const part of text.split(',')) {
    const dash = part.indexOf('-');
    const first = Number(dash < 0 ? part : part.slice(0, dash));
    const last = dash < 0 ? first : Number(part.slice(dash + 1));
    for (let id = first; id <= last; id += 1) ids.push(id);
  }
  return ids;
}
