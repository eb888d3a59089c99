import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createStyle, knowsUnicode, wantsColor } from '../../src/cli/terminal/style.ts';
import { renderTable } from '../../src/cli/terminal/table.ts';
import { cutText, textWidth, visibleText, wrapText } from '../../src/cli/terminal/wrap-text.ts';
import type { Environment } from '../../src/config/environment.ts';

function environment(variables: Record<string, string>): Environment {
  return { variables, platform: 'linux', userFolder: '/', workingFolder: '/' };
}

test('the option decides about colour, then NO_COLOR, then FORCE_COLOR, then the terminal', () => {
  assert.equal(wantsColor('always', environment({ NO_COLOR: '1' }), false), true);
  assert.equal(wantsColor('never', environment({ FORCE_COLOR: '1' }), true), false);
  assert.equal(wantsColor('auto', environment({ NO_COLOR: '1', FORCE_COLOR: '1' }), true), false);
  assert.equal(wantsColor('auto', environment({ NO_COLOR: '' }), true), true);
  assert.equal(wantsColor('auto', environment({ FORCE_COLOR: '1' }), false), true);
  assert.equal(wantsColor('auto', environment({ FORCE_COLOR: '0' }), true), false);
  assert.equal(wantsColor('auto', environment({ TERM: 'dumb' }), true), false);
  assert.equal(wantsColor('auto', environment({}), false), false);
});

test('the locale says whether more than ASCII can be shown', () => {
  assert.equal(knowsUnicode(environment({ LANG: 'C.UTF-8' })), true);
  assert.equal(knowsUnicode(environment({ LC_ALL: 'C', LANG: 'C.UTF-8' })), false);
  assert.equal(knowsUnicode(environment({})), false);
});

test('a table is as wide as its contents, and the widest column gives way in a narrow terminal', () => {
  const columns = [{ title: 'NAME' }, { title: 'SIZE', align: 'right' as const }];
  const rows = [
    ['reads.fastq', '1.5 GB'],
    ['図', '812 B'],
  ];
  const style = createStyle(false);
  assert.deepEqual(renderTable(columns, rows, style, 80), [
    'NAME           SIZE',
    'reads.fastq  1.5 GB',
    '図            812 B',
  ]);
  assert.deepEqual(renderTable(columns, rows, style, 15), [
    'NAME       SIZE',
    'reads.…  1.5 GB',
    '図        812 B',
  ]);
});

test('names from outside cannot move the cursor or colour the terminal', () => {
  assert.equal(visibleText('a\u001b[31mred\u001b[0m\rb\u0007'), 'ared\ufffdb\ufffd');
  assert.equal(cutText('a\nb', 10), 'a\ufffdb');
});

test('text is cut and wrapped by the columns that it takes', () => {
  assert.equal(textWidth(createStyle(true).red('図表')), 4);
  assert.equal(cutText('図表を描く', 6), '図表…');
  assert.equal(cutText('abc', 0), '');
  assert.deepEqual(wrapText('one two three', 7), ['one two', 'three']);
  assert.deepEqual(wrapText('  ', 7), []);
});
