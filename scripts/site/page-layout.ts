// The frame around a page: navigation, search, contents of the page, neighbours. Scripts and styles are files of the site, so that the
// strictest content policy can stay in force and the pages work from a folder as well.
import type { NavigationGroup } from './navigation.ts';
import { contentsPage } from './navigation.ts';
import { escapeHtml, type RenderedPage } from './render-page.ts';
import { addressOf, relativeAddress } from './site-pages.ts';

export interface LayoutFacts {
  readonly page: string;
  readonly rendered: RenderedPage;
  readonly groups: readonly NavigationGroup[];
  readonly version: string;
}

export function layoutPage({ page, rendered, groups, version }: LayoutFacts): string {
  const to = (address: string): string => escapeHtml(relativeAddress(page, address));
  const home = to(addressOf(contentsPage));
  const title = page === contentsPage ? 'Varve' : `${rendered.title} · Varve`;
  return `<!doctype html>
<html lang="en" data-root="${to('index.html').replace(/index\.html$/, '')}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<link rel="stylesheet" href="${to('site.css')}">
<script src="${to('theme.js')}"></script>
<script src="${to('search-index.js')}" defer></script>
<script src="${to('site.js')}" defer></script>
</head>
<body>
<a class="skip" href="#content">to the text</a>
<header>
<a class="name" href="${home}">Varve</a> <span class="version">${escapeHtml(version)}</span>
<div class="search" role="search"><input id="search" type="search" placeholder="search  /" aria-label="search" autocomplete="off"><ol id="found" hidden></ol></div>
<button id="theme" type="button" aria-label="light or dark">◐</button>
<button id="menu" type="button" aria-label="pages">☰</button>
</header>
<nav id="pages" aria-label="pages">
${groups.map((group) => groupHtml(group, page, to)).join('\n')}
</nav>
<main id="content">
${rendered.html}
${neighbours(page, groups, to)}
</main>
${onThisPage(rendered)}
</body>
</html>
`;
}

function groupHtml(
  { title, pages }: NavigationGroup,
  current: string,
  to: (address: string) => string,
): string {
  const entries = pages.map(({ page, title: text }) => {
    const here = page === current ? ' aria-current="page"' : '';
    return `<li><a href="${to(addressOf(page))}"${here}>${escapeHtml(text)}</a></li>`;
  });
  return `<h2>${escapeHtml(title)}</h2><ul>${entries.join('')}</ul>`;
}

function onThisPage({ headings }: RenderedPage): string {
  const entries = headings.filter(({ depth }) => depth === 2);
  if (entries.length < 2) return '';
  const links = entries.map(({ text, anchor }) => `<li><a href="#${anchor}">${escapeHtml(text)}</a></li>`);
  return `<aside aria-label="on this page"><h2>On this page</h2><ul>${links.join('')}</ul></aside>`;
}

function neighbours(
  page: string,
  groups: readonly NavigationGroup[],
  to: (address: string) => string,
): string {
  const all = groups.flatMap((group) => group.pages);
  const index = all.findIndex((entry) => entry.page === page);
  if (index < 0) return '';
  const link = (
    entry: { page: string; title: string } | undefined,
    text: (title: string) => string,
  ): string =>
    entry ? `<a href="${to(addressOf(entry.page))}">${text(escapeHtml(entry.title))}</a>` : '<span></span>';
  return `<footer>${link(all[index - 1], (title) => `← ${title}`)}${link(all[index + 1], (title) => `${title} →`)}</footer>`;
}
