import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { parse } from 'yaml';
import { isObject, type Json, type JsonObject } from '../../../src/core/json.ts';
import { checkDocumentShape } from '../../../src/languages/varve/check-actions.ts';
import { workflowJsonSchema } from '../../../src/languages/varve/json-schema.ts';
import { Problems } from '../../../src/languages/varve/problems.ts';
import { documentFromValue } from '../../../src/languages/varve/read-document.ts';
import { validDocument } from './document-arbitrary.ts';
import { fits } from './schema-check.ts';

const schema = workflowJsonSchema();
const root = join(import.meta.dirname, '../../..');

test('the schema accepts every example', () => {
  for (const name of globSync('examples/*/workflow.{json,yaml,yml}', { cwd: root }))
    assert.ok(fits(parse(readFileSync(join(root, name), 'utf8')) as Json, schema), name);
});

test('the schema describes every field, so that editors can show what it means', () => {
  const open = [schema];
  let fields = 0;
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    for (const [keyword, value] of Object.entries(at)) {
      if (keyword === 'properties')
        for (const [name, property] of Object.entries(value as JsonObject)) {
          if (name !== 'id' || (property as JsonObject).description !== undefined)
            fields += typeof (property as JsonObject).description === 'string' ? 1 : 0;
        }
      for (const inner of Array.isArray(value) ? value : [value]) if (isObject(inner)) open.push(inner);
    }
  }
  assert.ok(fields > 60, String(fields));
});

test('schema and loader agree on the shape of documents, right and wrong', () => {
  const anything = fc
    .jsonValue({ maxDepth: 2 })
    .map((value) => JSON.parse(JSON.stringify(value).replaceAll('\\u0000', '')) as Json);
  const mutated = fc
    .tuple(validDocument, fc.nat(), fc.constantFrom('remove', 'replace', 'add'), anything)
    .map(([document, seed, how, value]) => mutate(structuredClone(document), seed, how, value));
  fc.assert(
    fc.property(fc.oneof(validDocument, mutated), (document) => {
      const problems = new Problems(documentFromValue('w.json', document));
      checkDocumentShape(document as JsonObject, problems);
      const some =
        !Array.isArray((document as JsonObject).actions) ||
        (document as { actions: Json[] }).actions.length > 0;
      assert.equal(fits(document, schema), problems.count === 0 && some, JSON.stringify(document));
    }),
    { numRuns: 400 },
  );
});

/** Changes one member of one object of the document. */
function mutate(document: Json, seed: number, how: string, value: Json): Json {
  const objects: Record<string, Json>[] = [];
  const open: Json[] = [document];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (Array.isArray(at)) open.push(...at);
    else if (isObject(at)) {
      objects.push(at as Record<string, Json>);
      open.push(...Object.values(at));
    }
  }
  const object = objects[seed % objects.length]!;
  const keys = Object.keys(object);
  const key = keys[Math.floor(seed / 7) % Math.max(1, keys.length)];
  if (how === 'add') object.somethingElse = value;
  else if (key !== undefined && how === 'remove') delete object[key];
  else if (key !== undefined) object[key] = value;
  return document;
}
