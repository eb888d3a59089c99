import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { canonical, type Json } from '../../src/core/json.ts';

test('the canonical text does not depend on the order in which keys were written', () => {
  assert.equal(canonical({ b: 1, a: [true, null, 'x'] }), canonical({ a: [true, null, 'x'], b: 1 }));
});

test('the canonical text parses back to the value, so different values have different texts', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      assert.deepEqual(JSON.parse(canonical(value as Json)), JSON.parse(JSON.stringify(value)));
    }),
  );
});

test('numbers that JSON cannot say are refused', () => {
  assert.throws(() => canonical(Number.NaN), TypeError);
});
