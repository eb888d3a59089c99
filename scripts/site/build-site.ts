// Renders the documentation as static pages into a folder.
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { contentsPage, navigation } from './navigation.ts';
import { layoutPage } from './page-layout.ts';
import { type RenderedPage, renderPage } from './render-page.ts';
import { addressOf, root, sitePages } from './site-pages.ts';

const browserFiles = ['site.css', 'site.js', 'theme.js'];

/** Writes the site; returns how many pages it has. */
export function buildSite(folder: string): number {
  const pages = new Set(sitePages());
  const read = (page: string): string => readFileSync(join(root, page), 'utf8');
  const rendered = new Map([...pages].map((page) => [page, renderPage(page, read(page), pages)]));
  const titleOf = (page: string): string => rendered.get(page)!.title;
  const groups = navigation(read(contentsPage), pages, titleOf);
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };

  rmSync(folder, { recursive: true, force: true });
  const write = (address: string, text: string): void => {
    mkdirSync(dirname(join(folder, address)), { recursive: true });
    writeFileSync(join(folder, address), text);
  };
  for (const [page, result] of rendered) {
    write(addressOf(page), layoutPage({ page, rendered: result, groups, version }));
    for (const file of result.files) cpSync(join(root, file), join(folder, addressOf(file)));
  }
  for (const file of browserFiles)
    write(file, readFileSync(join(import.meta.dirname, 'browser', file), 'utf8'));
  write('search-index.js', `window.searchIndex = ${JSON.stringify(searchIndex(rendered))};\n`);
  return pages.size;
}

/** Address, page, heading and text of every section. */
function searchIndex(pages: ReadonlyMap<string, RenderedPage>): [string, string, string, string][] {
  return [...pages].flatMap(([page, { title, sections }]) =>
    sections.map(({ anchor, heading, text }): [string, string, string, string] => [
      addressOf(page) + (anchor === '' ? '' : `#${anchor}`),
      title,
      heading,
      text,
    ]),
  );
}
