import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { closest, didYouMean } from '../../src/core/closest.ts';
import {
  formatBytes,
  formatDuration,
  formatPercent,
  parseBytes,
  parseDuration,
  parsePercent,
} from '../../src/core/units.ts';

const cases: readonly [(text: string) => number | undefined, string, number | undefined][] = [
  [parseBytes, '0', 0],
  [parseBytes, '4096', 4096],
  [parseBytes, '20GB', 20e9],
  [parseBytes, '1.5 GiB', 1.5 * 1024 ** 3],
  [parseBytes, '512mb', 512e6],
  [parseBytes, '2Ki', 2048],
  [parseBytes, '20 XB', undefined],
  [parseBytes, '-1', undefined],
  [parseBytes, '9999999PB', undefined],
  [parseDuration, '30s', 30_000],
  [parseDuration, '1h30m', 5_400_000],
  [parseDuration, '250ms', 250],
  [parseDuration, '1.5h', 5_400_000],
  [parseDuration, '2 w', 1_209_600_000],
  [parseDuration, '30', undefined],
  [parseDuration, '0', 0],
  [parseDuration, '', undefined],
  [parseDuration, '5 minutes', undefined],
  [parsePercent, '80%', 0.8],
  [parsePercent, '0 %', 0],
  [parsePercent, '101%', undefined],
  [parsePercent, '80', undefined],
];

test('quantities are read with their units, and anything unclear is refused', () => {
  for (const [parse, text, expected] of cases) {
    assert.equal(parse(text), expected, `${parse.name}(${JSON.stringify(text)})`);
  }
});

test('quantities are written short', () => {
  const bytes = [0, 812, 1000, 1.5e9, 999_499, 999_500, 123_456_789, 20e12];
  assert.deepEqual(bytes.map(formatBytes), [
    '0 B',
    '812 B',
    '1 kB',
    '1.5 GB',
    '999 kB',
    '1 MB',
    '123 MB',
    '20 TB',
  ]);
  const times = [0, 450, 999.6, 3200, 59_960, 123_000, 3_599_800, 3_900_000, 187_200_000];
  assert.deepEqual(times.map(formatDuration), [
    '0 ms',
    '450 ms',
    '1 s',
    '3.2 s',
    '1 m 00 s',
    '2 m 03 s',
    '1 h 00 m',
    '1 h 05 m',
    '2 d 04 h',
  ]);
  assert.deepEqual([0, 0.0512, 0.42, 0.9999, 1].map(formatPercent), ['0%', '5.1%', '42%', '99.9%', '100%']);
});

test('reading what was written stays within the rounding of three figures', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 9e14 }), (bytes) => {
      const read = parseBytes(formatBytes(bytes))!;
      assert.ok(Math.abs(read - bytes) <= bytes * 0.05 + 0.5, `${bytes} became ${read}`);
    }),
  );
});

test('a mistyped word finds its neighbour, and a strange word finds nothing', () => {
  const words = ['run', 'status', 'datasets', 'config'];
  assert.equal(closest('rnu', words), 'run');
  assert.equal(closest('Stauts', words), 'status');
  assert.equal(closest('dataset', words), 'datasets');
  assert.equal(closest('xylophone', words), undefined);
  assert.equal(didYouMean('confg', words), 'did you mean config?');
  assert.equal(didYouMean('q', words), undefined);
});
