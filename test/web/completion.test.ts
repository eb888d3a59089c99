// What the editor offers where.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { placeAt } from '../../src/web/editor/document-place.ts';
import { schemasAt } from '../../src/web/editor/schema-completion.ts';

/** The place of the cursor, written as | in the text. */
function place(text: string) {
  const offset = text.indexOf('|');
  return placeAt(text.replace('|', ''), offset);
}

const cases: readonly (readonly [string, string, unknown])[] = [
  ['a field at the top of YAML', 'name: x\n|', { path: [], value: false, json: false }],
  [
    'a field of an entry',
    'name: x\nactions:\n  - id: a\n    |',
    { path: ['actions', 0], value: false, json: false },
  ],
  ['a field right after the dash', 'actions:\n  - |', { path: ['actions', 0], value: false, json: false }],
  [
    'the second entry',
    'actions:\n  - id: a\n  - id: b\n    |',
    { path: ['actions', 1], value: false, json: false },
  ],
  [
    'a field inside a field',
    'actions:\n  - id: a\n    retries:\n      |',
    { path: ['actions', 0, 'retries'], value: false, json: false },
  ],
  ['a value', 'failurePolicy: |', { path: ['failurePolicy'], value: true, json: false }],
  ['a field of JSON', '{ "name": "x", "|', { path: [], value: false, json: true }],
  [
    'a field of an entry in JSON',
    '{ "actions": [ { "id": "a" }, { "|',
    { path: ['actions', 1], value: false, json: true },
  ],
];

for (const [name, text, expected] of cases) {
  test(`the editor knows ${name}`, () => {
    assert.deepEqual(place(text), expected);
  });
}

test('the schema says what may stand at a place', () => {
  const fields = schemasAt(['actions', 0]).flatMap((one) => Object.keys(one.properties ?? {}));
  for (const field of ['id', 'command', 'inputs', 'scatter']) assert.ok(fields.includes(field), field);
  const policies = schemasAt(['failurePolicy']).flatMap((one) => one.enum ?? []);
  assert.ok(policies.includes('stop'));
});
