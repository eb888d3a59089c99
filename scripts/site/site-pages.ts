// Which Markdown files are pages of the site, and at which address: docs/ is the root, pages from elsewhere keep their folder.
import { existsSync, globSync, statSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';

export const root = join(import.meta.dirname, '..', '..');

const patterns = ['docs/**/*.md', 'examples/**/README.md', '*.md'];

/** Paths of all pages below the root of the project. */
export function sitePages(): readonly string[] {
  return [...new Set(patterns.flatMap((pattern) => globSync(pattern, { cwd: root })))].sort();
}

/** The address of a page or of a file that pages show, relative to the root of the site. */
export function addressOf(file: string): string {
  const inSite = file.startsWith('docs/')
    ? file.slice('docs/'.length)
    : file.includes('/')
      ? file
      : `project/${file}`;
  if (!inSite.endsWith('.md')) return inSite;
  const name = posix.basename(inSite, '.md');
  return posix.join(
    dirname(inSite),
    name === 'README' && inSite !== 'project/README.md' ? 'index.html' : `${name.toLowerCase()}.html`,
  );
}

/** The file that a link on a page means, or undefined when it leads out of the project. */
export function targetOf(page: string, link: string): string | undefined {
  if (/^[a-z]+:|^#/i.test(link)) return undefined;
  const target = posix.join(dirname(page), decodeURIComponent(link.replace(/#.*$/, '')));
  const isFolder = existsSync(join(root, target)) && statSync(join(root, target)).isDirectory();
  return isFolder ? posix.join(target, 'README.md') : target;
}

/** An address as seen from a page. */
export function relativeAddress(fromPage: string, address: string): string {
  return posix.relative(posix.dirname(addressOf(fromPage)), address) || posix.basename(address);
}
