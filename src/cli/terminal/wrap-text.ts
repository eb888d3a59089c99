// Text that fits a terminal: wrapping at spaces, cutting, and the width that a text really takes.
import { stripVTControlCharacters } from 'node:util';

const wideCharacters =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;
// Made when first needed: it takes 15 ms, and most texts are plain ASCII.
let segmenter: Intl.Segmenter | undefined;

function graphemes(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  return segmenter.segment(text);
}

/** Columns that the text takes, without colours; wide characters take two. */
export function textWidth(text: string): number {
  const plain = stripVTControlCharacters(text);
  // Plain ASCII is nearly everything that is ever measured.
  if (/^[\x20-\x7e]*$/.test(plain)) return plain.length;
  let width = 0;
  for (const { segment } of graphemes(plain)) width += wideCharacters.test(segment) ? 2 : 1;
  return width;
}

/** The text in lines of at most `columns`, broken at spaces; a longer word gets a line of its own. */
export function wrapText(text: string, columns: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/\s+/)) {
    if (line !== '' && textWidth(line) + 1 + textWidth(word) > columns) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return line === '' ? lines : [...lines, line];
}

/** The uncoloured text cut to `columns`, with an ellipsis where something is missing; control characters become visible. */
export function cutText(text: string, columns: number): string {
  const plain = visibleText(text);
  if (textWidth(plain) <= columns) return plain;
  if (columns <= 0) return '';
  let cut = '';
  let width = 0;
  for (const { segment } of graphemes(plain)) {
    const next = wideCharacters.test(segment) ? 2 : 1;
    if (width + next > columns - 1) break;
    cut += segment;
    width += next;
  }
  return `${cut}…`;
}

/** Names from outside must not move the cursor: control characters are replaced by a sign. */
export function visibleText(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not reach the terminal
  return stripVTControlCharacters(text).replace(/[\u0000-\u001f\u007f-\u009f]/g, '\ufffd');
}
