import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Json } from '../../../src/core/json.ts';
import { conditionHolds, conditionReferences } from '../../../src/languages/varve/evaluate-condition.ts';
import { ConditionMistake, parseCondition } from '../../../src/languages/varve/parse-condition.ts';

const values: Readonly<Record<string, Json>> = {
  'inputs.n': 3,
  'inputs.name': 'ada',
  'inputs.list': [1, 'two'],
  'inputs.report': { rows: [{ ok: true }], 'odd key': 1 },
  'inputs.none': null,
  'inputs.with-dash': 1,
  'inputs.1': 'one',
  'params.fast': true,
};

function holds(text: string): boolean {
  return conditionHolds(parseCondition(text), (root, name) => values[`${root}.${name}`] ?? null);
}

test('comparisons, membership, logic and members of values give what they say', () => {
  const cases: Readonly<Record<string, boolean>> = {
    'inputs.n == 3': true,
    'inputs.n != 3 || params.fast': true,
    'inputs.n > 2 && inputs.n <= 3': true,
    '!(inputs.n >= 4) && !false': true,
    'inputs.name == \'ada\' && inputs.name < "b"': true,
    "'two' in inputs.list": true,
    "inputs.name in ['bob', 'eve']": false,
    "'rows' in inputs.report": true,
    "'da' in inputs.name": true,
    'size(inputs.list) == 2': true,
    'inputs.report.rows[0].ok': true,
    "inputs.report['odd key'] == 1": true,
    'inputs.report.missing == null': true,
    'inputs.none == null': true,
    'inputs.none.deeper == null': true,
    'inputs.with-dash == 1': true,
    "inputs['1'] == 'one' && inputs.1 == 'one'": true,
    '1e2 == 100 && -1 < 0': true,
    "inputs.n == '3'": false,
    'true || false && false': true,
    'inputs.list == [1, "two"]': true,
    "'it\\'s' == \"it's\"": true,
  };
  for (const [text, expected] of Object.entries(cases)) assert.equal(holds(text), expected, text);
});

test('what cannot be read is refused with the character where it goes wrong', () => {
  const cases: Readonly<Record<string, number>> = {
    '': 0,
    'inputs.n ==': 11,
    'inputs.n = 3': 9,
    inputs: 6,
    'inputs. == 1': 8,
    '(inputs.n > 1': 13,
    'process.exit(1)': 0,
    'inputs.n > 1 inputs.n': 13,
    "'open": 0,
    'inputs.n + 1': 9,
  };
  for (const [text, at] of Object.entries(cases)) {
    assert.throws(
      () => parseCondition(text),
      (error) => error instanceof ConditionMistake && error.at === at,
      text,
    );
  }
});

test('values that do not fit an operator are an error, never a silent false', () => {
  for (const text of [
    'inputs.n',
    "inputs.n < '4'",
    '!inputs.n',
    'inputs.n && true',
    '1 in 2',
    'size(3) > 1',
    'inputs.name.x == 1',
  ])
    assert.throws(() => holds(text), ConditionMistake, text);
});

test('references are found wherever they stand', () => {
  const found = conditionReferences(
    parseCondition('size(inputs.a) > 1 && (params.b in [inputs.c] || !inputs.d.e[inputs.f])'),
  );
  assert.deepEqual(
    found.map(({ root, name }) => `${root}.${name}`),
    ['inputs.a', 'params.b', 'inputs.c', 'inputs.d', 'inputs.f'],
  );
});

test('any text either parses or gives a ConditionMistake, and deep nesting does not exhaust the stack', () => {
  assert.throws(() => parseCondition('('.repeat(4000)), ConditionMistake);
  assert.equal(holds(`${'!'.repeat(4000)}true`), true);
  const piece = fc.constantFrom(
    'inputs',
    '.',
    'a',
    '[',
    ']',
    '(',
    ')',
    '==',
    '&&',
    '!',
    'in',
    '1',
    "'s'",
    ',',
    'size',
    ' ',
    '-',
  );
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.array(piece).map((pieces) => pieces.join('')),
      ),
      (text) => {
        try {
          parseCondition(text);
        } catch (error) {
          assert.ok(error instanceof ConditionMistake);
        }
      },
    ),
  );
});
