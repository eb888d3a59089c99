// Reads a list page by page until there is enough of it.

interface Page<T> {
  readonly items: readonly T[];
  readonly next: string | null;
}

const largestPage = 1000;

/** Up to `limit` items, all of them without a limit. */
export async function readPages<T>(
  read: (page: { limit: number; cursor?: string }) => Promise<Page<T>>,
  limit = Number.POSITIVE_INFINITY,
): Promise<T[]> {
  const found: T[] = [];
  let next: string | null | undefined;
  while (next !== null && found.length < limit) {
    const size = Math.min(largestPage, limit - found.length);
    const page = await read({ limit: size, ...(next === undefined ? {} : { cursor: next }) });
    found.push(...page.items);
    next = page.next;
  }
  return found;
}
