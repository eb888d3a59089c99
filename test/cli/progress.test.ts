import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { test } from 'node:test';
import { promisify, stripVTControlCharacters } from 'node:util';
import fc from 'fast-check';
import { type ProgressStream, startProgress } from '../../src/cli/terminal/progress-display.ts';
import type { ProgressState } from '../../src/cli/terminal/progress-state.ts';
import { progressLine, renderProgress } from '../../src/cli/terminal/render-progress.ts';
import { createStyle } from '../../src/cli/terminal/style.ts';
import { textWidth } from '../../src/cli/terminal/wrap-text.ts';
import { temporaryFolder } from './varve.ts';

const state: ProgressState = {
  title: 'variant-calling',
  total: 2000,
  counts: { computed: 840, reused: 400, joined: 10, skipped: 0, failed: 3, running: 4 },
  savedMs: 760_000,
  startedAt: 0,
  now: 63_000,
  running: [
    { name: 'align-reads 7', startedAt: 29_000 },
    { name: '図表を描く', startedAt: 50_000 },
    { name: 'an action whose name is far too long to be shown in a single line of text', startedAt: 62_000 },
  ],
};

const plain = { style: createStyle(false), unicode: true, rows: 24 };

test('a wide terminal shows bar, counts, time saved and the current actions', () => {
  assert.deepEqual(renderProgress(state, { ...plain, columns: 100 }), [
    'variant-calling  ━━━━━━━━━━━━━━━━━━━━━━━━━━──────────────  62%  1,253/2,000  1 m 03 s',
    '  840 computed · 400 reused · 10 joined · 3 failed · 4 running · saved 12 m 40 s',
    '  ▸ align-reads 7                   34 s',
    '  ▸ 図表を描く                      13 s',
    '  ▸ an action whose name is far too long to be shown …  1 s',
    '  … and 1 more',
  ]);
});

test('a narrow terminal gives up the bar and the title first', () => {
  assert.deepEqual(renderProgress(state, { ...plain, columns: 30, rows: 6 }), [
    '62%  1,253/2,000  1 m 03 s',
    '  840 computed · 400 reused',
    '  10 joined · 3 failed',
    '  4 running · saved 12 m 40 s',
    '  ▸ align-reads 7         34 s',
    '  … and 3 more',
  ]);
});

test('a terminal that knows only ASCII gets only ASCII', () => {
  const ascii = { ...state, running: state.running.slice(0, 1) };
  const text = renderProgress(ascii, { ...plain, columns: 80, unicode: false }).join('\n');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the range is ASCII
  assert.match(text, /^[\u0000-\u007f]*$/);
  assert.match(text, /^variant-calling {2}#+-+ {2}62%/);
});

test('an empty run and a finished run have sensible bars', () => {
  const none = { computed: 0, reused: 0, joined: 0, skipped: 0, failed: 0, running: 0 };
  const [empty] = renderProgress({ ...state, total: 0, counts: none }, { ...plain, columns: 60 });
  assert.match(empty!, /^variant-calling {2}─+ {2}0% {2}0\/0 /);
  const all = { ...none, computed: 1, reused: 1999 };
  const [full] = renderProgress({ ...state, counts: all }, { ...plain, columns: 70 });
  assert.match(full!, /^variant-calling {2}━+ {2}100% /);
});

test('whatever the facts and the window, no line is too wide and the lines are not too many', () => {
  const count = fc.nat(100_000);
  const facts = fc.record({
    title: fc.string({ unit: 'grapheme' }),
    total: count,
    counts: fc.record({
      computed: count,
      reused: count,
      joined: count,
      skipped: count,
      failed: count,
      running: fc.nat(20),
    }),
    savedMs: fc.nat(),
    startedAt: fc.constant(0),
    now: fc.nat(),
    running: fc.array(fc.record({ name: fc.string({ unit: 'grapheme' }), startedAt: fc.constant(0) }), {
      maxLength: 12,
    }),
  });
  const window = fc.record({
    columns: fc.integer({ min: 1, max: 200 }),
    rows: fc.integer({ min: 1, max: 30 }),
  });
  fc.assert(
    fc.property(facts, window, fc.boolean(), (some, { columns, rows }, color) => {
      const lines = renderProgress(some, { style: createStyle(color), unicode: true, columns, rows });
      assert.ok(lines.length >= 1 && lines.length <= rows, `${lines.length} lines`);
      for (const line of lines) {
        assert.ok(textWidth(line) <= columns, `${columns}: ${JSON.stringify(line)}`);
        assert.doesNotMatch(stripVTControlCharacters(line), /\p{Cc}/u);
      }
    }),
  );
});

test('where there is no terminal, the display is a line now and then and one at the end', () => {
  const written: string[] = [];
  const stream = Object.assign(
    new Writable({
      write: (chunk, _encoding, done) => {
        written.push(String(chunk));
        done();
      },
    }),
    { isTTY: false, columns: 80, rows: 24 },
  ) as unknown as ProgressStream;
  const display = startProgress(stream, { ...plain, plainIntervalMs: 3_600_000 });
  display.update(state);
  display.log('FAILED sort 3');
  display.stop(state);
  assert.deepEqual(written, ['FAILED sort 3\n', `${progressLine(state)}\n`]);
  assert.equal(
    progressLine(state),
    'variant-calling: 1253/2000 after 1 m 03 s: 840 computed, 400 reused, 10 joined, 3 failed, 4 running, saved 12 m 40 s',
  );
});

test('on a terminal the display hides the cursor, cleans up after itself and keeps what was logged', async (t) => {
  const at = (file: string) =>
    JSON.stringify(new URL(`../../src/cli/terminal/${file}`, import.meta.url).href);
  const program = `
    import { startProgress } from ${at('progress-display.ts')};
    import { createStyle } from ${at('style.ts')};
    const display = startProgress(process.stdout, { style: createStyle(false), unicode: false });
    const state = ${JSON.stringify(state)};
    display.update(state);
    display.log('logged');
    display.stop();
    console.log('end');`;
  const file = join(temporaryFolder(t), 'display.mjs');
  writeFileSync(file, program);
  const { stdout } = await promisify(execFile)(
    'script',
    ['-qec', `"${process.execPath}" "${file}"`, '/dev/null'],
    {
      env: { PATH: process.env.PATH, TERM: 'xterm' },
    },
  );
  assert.ok(stdout.includes('\u001b[?25l'), 'the cursor was not hidden');
  assert.match(stdout, /logged\r\n/);
  assert.ok(
    stdout.lastIndexOf('\u001b[?25h') > stdout.lastIndexOf('\u001b[?25l'),
    'the cursor stayed hidden',
  );
  assert.match(stdout, /\[J[^\n]*end\r\n$/);
});
