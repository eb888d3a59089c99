import assert from 'node:assert/strict';
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { buildSite } from '../../scripts/site/build-site.ts';
import { contentsPage, navigation } from '../../scripts/site/navigation.ts';
import { renderPage } from '../../scripts/site/render-page.ts';
import { addressOf, sitePages } from '../../scripts/site/site-pages.ts';

const folder = join(mkdtempSync(join(tmpdir(), 'varve-site-')), 'docs');
let pages: string[] = [];
before(() => {
  buildSite(folder);
  pages = globSync('**/*.html', { cwd: folder });
});
after(() => rmSync(dirname(folder), { recursive: true, force: true }));
const read = (page: string): string => readFileSync(join(folder, page), 'utf8');

test('every link and every file that a page needs is there, also the heading that it names', () => {
  assert.ok(pages.length > 30);
  const broken: string[] = [];
  for (const page of pages) {
    for (const [, link] of read(page).matchAll(/(?:href|src)="([^"]+)"/g)) {
      if (/^https?:/.test(link!)) continue;
      const [file, anchor] = link!.split('#', 2) as [string, string | undefined];
      const target = file === '' ? page : join(dirname(page), file);
      if (!existsSync(join(folder, target)) || statSync(join(folder, target)).isDirectory())
        broken.push(`${page}: ${link}`);
      else if (anchor && target.endsWith('.html') && !read(target).includes(`id="${anchor}"`))
        broken.push(`${page}: ${link}`);
    }
  }
  assert.deepEqual(broken, []);
});

test('pages need nothing from elsewhere and no script or style of their own', () => {
  for (const page of pages) {
    const html = read(page);
    assert.doesNotMatch(html, /<(?:script|link|img)[^>]*(?:src|href)="(?:https?:)?\/\//, page);
    assert.doesNotMatch(html, /<script(?![^>]*src=)|<style|\sstyle="|\son\w+="/, page);
    assert.doesNotMatch(html, /class="mermaid"/, page);
  }
});

test('every page is in the navigation or in the contents of its folder', () => {
  const known = new Set(sitePages());
  const groups = navigation(readSource(contentsPage), known, (page) => page);
  const listed = new Set(groups.flatMap((group) => group.pages.map(({ page }) => page)));
  const others = [...known].filter((page) => !listed.has(page) && page !== contentsPage);
  assert.ok(
    others.every((page) => /^(docs\/adr\/\d|examples\/)/.test(page)),
    others.join(' '),
  );
  assert.equal(groups[0]?.title, 'Guide');
});

test('the search knows every heading', () => {
  const text = read('search-index.js');
  const index = JSON.parse(text.slice(text.indexOf('['), text.lastIndexOf(';'))) as [
    string,
    string,
    string,
    string,
  ][];
  const found = index.find(([, , heading]) => heading === 'Three ways to be reused');
  assert.equal(found?.[0], 'guide/reuse-and-why.html#three-ways-to-be-reused');
  assert.match(found?.[3] ?? '', /An equal dataset is stored/);
});

test('a page is rendered as text, whatever is in it', () => {
  const { html, title } = renderPage(
    'docs/x.md',
    '# A `<b>`\n\n<script>alert(1)</script>\n\n```sh\necho "<i>"\n```\n',
    new Set(),
  );
  assert.equal(title, 'A <b>');
  assert.doesNotMatch(html, /<script|<i>|<b>/);
  assert.throws(() => renderPage('docs/x.md', '[gone](gone.md)', new Set()), /docs\/x\.md links to gone\.md/);
  assert.equal(addressOf('docs/guide/scatter.md'), 'guide/scatter.html');
  assert.equal(addressOf('README.md'), 'project/readme.html');
});

function readSource(page: string): string {
  return readFileSync(join(import.meta.dirname, '..', '..', page), 'utf8');
}
