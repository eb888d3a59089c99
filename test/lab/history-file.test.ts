import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatError, VarveError } from '../../src/core/errors.ts';
import { readHistory, writeHistory } from '../../src/lab/history-file.ts';
import { historyLineSchema } from '../../src/lab/history-line.ts';
import { generateHistory } from '../../src/lab/history-source.ts';

const header = '{"format":"varve-history","version":1}';
const dataset = '{"dataset":"a","bytes":10,"seconds":1.5}';
const run = '{"run":1,"results":["a"]}';

function problemsOf(...lines: string[]): string {
  try {
    readHistory(lines.join('\n'), 'h.jsonl');
  } catch (error) {
    assert.ok(error instanceof VarveError);
    assert.equal(error.code, 'LAB_BAD_HISTORY');
    return formatError(error);
  }
  return 'none';
}

test('a history comes back from its file as it was', () => {
  for (const family of ['thesis', 'sweep']) {
    const history = generateHistory({ family, seed: 3 });
    const text = [...writeHistory(history)].join('\n');
    assert.deepEqual(readHistory(text, 'h.jsonl'), history);
  }
});

test('the smallest file is enough, and blank lines do not count', () => {
  const history = readHistory(`${header}\n\n${dataset}\n${run}\n`, 'h.jsonl');
  assert.deepEqual(history.labels, ['a']);
  assert.equal(history.origin.family, 'site');
});

test('every mistake is reported with file and line', () => {
  const cases: [string[], RegExp][] = [
    [[''], /^h\.jsonl:1:1: the file is empty/],
    [[dataset], /^h\.jsonl:1:1: the first line must be/],
    [[header, '{"dataset":'], /^h\.jsonl:2:1: is not JSON/],
    [[header, '[1]'], /^h\.jsonl:2:1: is none of/],
    [[header, '{"bytes":1}'], /^h\.jsonl:2:1: is none of/],
    [
      [header, '{"dataset":"a","bytes":-1,"seconds":1}'],
      /^h\.jsonl:2:1: "bytes" must be a number of at least 0/,
    ],
    [[header, '{"dataset":"a","bytes":1}'], /^h\.jsonl:2:1: "seconds" is missing/],
    [[header, dataset, dataset], /^h\.jsonl:3:1: dataset "a" was described before/],
    [
      [header, '{"dataset":"b","bytes":1,"seconds":1,"parents":["a"]}'],
      /2:1: dataset "a" was not described before/,
    ],
    [[header, dataset, '{"run":1,"results":["b"]}'], /3:1: dataset "b" was not described before/],
    [[header, dataset, '{"run":1,"results":[]}'], /3:1: "results" must be a list of at least one string/],
    [[header, '{"dataset":"a","bytes":1,"seconds":1,"size":4}'], /"size" is not a field of a dataset/],
    [['{"format":"varve-history","version":2}'], /1:1: version 2 is not known here/],
    [[header, header], /2:1: the format is named twice/],
  ];
  for (const [lines, expected] of cases) assert.match(problemsOf(...lines), expected);
});

test('several mistakes are reported together', () => {
  const text = problemsOf(header, '{"dataset":"a"}', '{"run":"x","results":["a"]}');
  assert.match(text, /h\.jsonl:2:1: "bytes" is missing/);
  assert.match(text, /h\.jsonl:2:1: "seconds" is missing/);
  assert.match(text, /h\.jsonl:3:1: "run" must be a whole number/);
});

test('the schema names every field of every kind of line', () => {
  const schema = JSON.stringify(historyLineSchema());
  for (const name of [
    'format',
    'version',
    'origin',
    'dataset',
    'bytes',
    'seconds',
    'parents',
    'run',
    'results',
    'at',
  ]) {
    assert.ok(schema.includes(`"${name}"`), name);
  }
});
