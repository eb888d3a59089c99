import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareOutput, withRealSignatures } from '../../scripts/documents/compare-output.ts';
import { pageSteps } from '../../scripts/documents/page-blocks.ts';

test('a page becomes the steps of its reader; what is not to be run carries its reason', () => {
  const page = [
    '```yaml file=a.yaml\nname: a\n```',
    '```console exit=3\n$ one \\\n> more\nseen\n$ two\n```',
    '<!-- not run: needs a server -->\n```sh\nthree\n```',
    '```yaml\nonly: shown\n```',
  ].join('\n\n');
  assert.deepEqual(pageSteps(page), {
    steps: [
      { kind: 'file', line: 1, path: 'a.yaml', content: 'name: a\n' },
      { kind: 'command', line: 6, command: 'one \\\nmore', expected: ['seen'], exitCode: 0 },
      { kind: 'command', line: 9, command: 'two', exitCode: 3 },
    ],
    notRun: [{ line: 13, reason: 'needs a server' }],
  });
});

test('times, dates, widths and signatures may differ, words and numbers may not', () => {
  const agree = (expected: string, actual: string): boolean =>
    compareOutput(expected.split('\n'), actual.split('\n'), new Map()) === undefined;
  assert.ok(agree('run 1 succeeded in 1.4 s: 2 computed', 'run 1 succeeded in 25 ms: 2 computed'));
  assert.ok(!agree('run 1 succeeded in 1.4 s: 2 computed', 'run 1 succeeded in 1.4 s: 3 computed'));
  assert.ok(agree('A  B\n…\nend', 'A     B\nx\ny\nend'));
  assert.ok(agree('A\n…', 'A'));
  assert.ok(!agree('A', 'A\nB'));
  assert.ok(!agree('A\nB', 'A'));
  assert.ok(!agree('a.c', 'abc'));
});

test('a signature of the page stands for one real signature everywhere', () => {
  const signatures = new Map<string, string>();
  const [shown, real, other] = ['aaaaaaaaaaaa', 'bbbbbbbbbbbb', 'cccccccccccc'];
  assert.equal(compareOutput([`${shown} x`], [`${real} x`], signatures), undefined);
  assert.equal(withRealSignatures('show aaaaaa', signatures), 'show bbbbbb');
  assert.notEqual(compareOutput([`${shown} x`], [`${other} x`], signatures), undefined);
});
