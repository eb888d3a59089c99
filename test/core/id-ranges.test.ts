import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { decodeIds, encodeIds } from '../../src/core/id-ranges.ts';

test('neighbouring ids are written as ranges', () => {
  assert.equal(encodeIds([7, 3, 4, 5, 9, 4]), '3-5,7,9');
  assert.equal(encodeIds([]), '');
  assert.deepEqual(decodeIds('3-5,7,9'), [3, 4, 5, 7, 9]);
});

test('every set of ids survives', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 3000 })), (ids) => {
      assert.deepEqual(
        decodeIds(encodeIds(ids)),
        [...new Set(ids)].sort((a, b) => a - b),
      );
    }),
  );
});
