// Markdown of one page to HTML: links between files become links between pages, headings get addresses, blocks of commands show what is
// typed, diagrams become pictures.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Marked, type Tokens } from 'marked';
import { addressOf, relativeAddress, root, targetOf } from './site-pages.ts';
import { statePicture } from './state-picture.ts';

export interface Section {
  /** Address of its heading on the page; empty for what stands before the first one. */
  readonly anchor: string;
  readonly heading: string;
  readonly text: string;
}

export interface RenderedPage {
  readonly title: string;
  readonly html: string;
  readonly headings: readonly { readonly depth: number; readonly text: string; readonly anchor: string }[];
  /** What the search looks through. */
  readonly sections: readonly Section[];
  /** Files that the page shows or links to and that are no pages. */
  readonly files: readonly string[];
}

/** Renders the page at a path below the root of the project. */
export function renderPage(page: string, markdown: string, pages: ReadonlySet<string>): RenderedPage {
  const headings: { depth: number; text: string; anchor: string }[] = [];
  const files = new Set<string>();
  const anchors = new Map<string, number>();
  const marked = new Marked({ gfm: true });

  const address = (href: string): string => {
    const target = targetOf(page, href);
    if (target === undefined) return href;
    const anchor = /#.*$/.exec(href)?.[0] ?? '';
    if (!pages.has(target)) {
      if (!existsSync(join(root, target))) throw new Error(`${page} links to ${href}, which does not exist`);
      files.add(target);
    }
    return relativeAddress(page, addressOf(target)) + anchor;
  };

  marked.use({
    renderer: {
      heading({ tokens, depth }: Tokens.Heading): string {
        const html = this.parser.parseInline(tokens);
        const text = plainText(html);
        const anchor = uniqueAnchor(text, anchors);
        headings.push({ depth, text, anchor });
        return `<h${depth} id="${anchor}">${html} <a class="anchor" href="#${anchor}" aria-label="link to this heading">#</a></h${depth}>\n`;
      },
      link({ href, title, tokens }: Tokens.Link): string {
        return `<a href="${escapeHtml(address(href))}"${titleAttribute(title)}>${this.parser.parseInline(tokens)}</a>`;
      },
      image({ href, title, text }: Tokens.Image): string {
        return `<img src="${escapeHtml(address(href))}" alt="${escapeHtml(text)}"${titleAttribute(title)}>`;
      },
      code({ text, lang }: Tokens.Code): string {
        return renderCode(text, lang ?? '');
      },
      table(token: Tokens.Table): string {
        return `<div class="table">${tableHtml(token, (cell) => this.parser.parseInline(cell.tokens))}</div>\n`;
      },
      html({ text }: Tokens.HTML | Tokens.Tag): string {
        if (text.startsWith('<!--')) return '';
        return text === '<br>' ? text : escapeHtml(text);
      },
    },
  });
  const html = marked.parse(markdown, { async: false });
  const title = headings.find(({ depth }) => depth === 1)?.text ?? page;
  return { title, html, headings, sections: sectionsOf(html, headings), files: [...files] };
}

export function escapeHtml(text: string): string {
  const names: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
  return text.replace(/[&<>"]/g, (character) => names[character]!);
}

function renderCode(text: string, info: string): string {
  const [language = '', ...attributes] = info.split(/\s+/);
  if (language === 'mermaid') {
    const picture = statePicture(text);
    if (picture) return `<figure>${picture}</figure>\n`;
  }
  const file = attributes.find((word) => word.startsWith('file='))?.slice('file='.length);
  const caption = file ? `<div class="file">${escapeHtml(file)}</div>` : '';
  const lines = text.split('\n').map((line) => {
    const escaped = escapeHtml(line);
    return language === 'console' && line.startsWith('$ ') ? `<b>${escaped}</b>` : escaped;
  });
  return `${caption}<pre><code class="${escapeHtml(language)}">${lines.join('\n')}\n</code></pre>\n`;
}

function tableHtml(token: Tokens.Table, cellHtml: (cell: Tokens.TableCell) => string): string {
  const rowHtml = (cells: readonly Tokens.TableCell[], tag: string): string =>
    `<tr>${cells.map((cell) => `<${tag}>${cellHtml(cell)}</${tag}>`).join('')}</tr>`;
  const head = token.header.some((cell) => cell.text !== '')
    ? `<thead>${rowHtml(token.header, 'th')}</thead>`
    : '';
  return `<table>${head}<tbody>${token.rows.map((cells) => rowHtml(cells, 'td')).join('')}</tbody></table>`;
}

function titleAttribute(title: string | null | undefined): string {
  return title ? ` title="${escapeHtml(title)}"` : '';
}

/** As GitHub makes them, so that links hold in both places. */
function uniqueAnchor(text: string, taken: Map<string, number>): string {
  const anchor = text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-');
  const count = taken.get(anchor) ?? 0;
  taken.set(anchor, count + 1);
  return count === 0 ? anchor : `${anchor}-${count}`;
}

function plainText(html: string): string {
  const names: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };
  return html
    .replace(/<[^>]*>/g, '')
    .replace(/&(\w+|#39);/g, (entity, name: string) => names[name] ?? entity)
    .replace(/\s+/g, ' ')
    .trim();
}

function sectionsOf(html: string, headings: RenderedPage['headings']): Section[] {
  const [before = '', ...parts] = html.split(/<h[1-6] id="/);
  const sections = parts.map((part, index): Section => {
    const body = part.slice(part.indexOf('</h'));
    return { anchor: headings[index]!.anchor, heading: headings[index]!.text, text: plainText(`<${body}`) };
  });
  const opening = plainText(before);
  return opening === '' ? sections : [{ anchor: '', heading: '', text: opening }, ...sections];
}
