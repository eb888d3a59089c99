// Long lists are asked for in parts, so that one statement's parameter stays small.

const partSize = 10_000;

export async function inParts<I, T>(
  items: readonly I[],
  query: (part: readonly I[]) => Promise<T[]>,
): Promise<T[]> {
  if (items.length <= partSize) return items.length === 0 ? [] : query(items);
  const found: T[] = [];
  for (let start = 0; start < items.length; start += partSize) {
    for (const row of await query(items.slice(start, start + partSize))) found.push(row);
  }
  return found;
}
