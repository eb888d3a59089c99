// Tags say what a machine offers (`gpu`, `highmem`) and what an action demands. A set of them is kept as text in one order, so that
// equal demands are equal texts.

export const tagPattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/;

/** A set of tags as text; '' is the empty set. */
export function tagsText(tags: readonly string[] = []): string {
  return tags.length === 0 ? '' : [...new Set(tags)].sort().join(',');
}

export function readTags(text: string): readonly string[] {
  return text === '' ? [] : text.split(',');
}

/** True when everything that is demanded is offered. */
export function offersTags(offered: ReadonlySet<string>, demanded: string): boolean {
  return readTags(demanded).every((tag) => offered.has(tag));
}
