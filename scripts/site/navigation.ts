// The navigation is the contents page, docs/README.md: each heading is a group, each link below it an entry. Pages that it does not name
// are found under "More", so that no page is ever lost.
import { targetOf } from './site-pages.ts';

export interface NavigationGroup {
  readonly title: string;
  readonly pages: readonly { readonly page: string; readonly title: string }[];
}

export const contentsPage = 'docs/README.md';

/** Decision records and examples are reached from their own contents. */
const hasOwnContents = /^(docs\/adr\/\d|examples\/.+\/README\.md$)/;

export function navigation(
  contents: string,
  pages: ReadonlySet<string>,
  titleOf: (page: string) => string,
): NavigationGroup[] {
  const named = new Set<string>([contentsPage]);
  const groups = contents
    .split(/^## /m)
    .slice(1)
    .map((part) => {
      const entries = [...part.matchAll(/\[([^\]]+)\]\(([^)]+)\)/g)].flatMap(([, title, link]) => {
        const page = targetOf(contentsPage, link!);
        if (page === undefined || !pages.has(page) || named.has(page)) return [];
        named.add(page);
        return [{ page, title: title! }];
      });
      return { title: part.slice(0, part.indexOf('\n')), pages: entries };
    });
  const rest = [...pages].filter((page) => !named.has(page) && !hasOwnContents.test(page));
  const more = { title: 'More', pages: rest.map((page) => ({ page, title: titleOf(page) })) };
  return [...groups, more].filter((group) => group.pages.length > 0);
}
