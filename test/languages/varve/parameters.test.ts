import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Json } from '../../../src/core/json.ts';
import { loadVarveWorkflow } from '../../../src/languages/varve/load-workflow.ts';
import { loadText, problemsOf, refusal } from './load-text.ts';
import { temporaryFolder } from './run-document.ts';

const text = `name: x
params:
  n: 3
  flag: false
  name: plain
  list: [a, b]
  must: { type: number, description: no default }
actions:
  - id: a
    command: x
    inputs: { n: "\${params.n}", flag: "\${params.flag}", name: "<\${params.name}>", list: ["\${params.list[*]}", z], must: "\${params.must}" }
`;

async function inputsWith(parameters: Record<string, Json>): Promise<Json> {
  return (await loadText(text, 'flow.yaml', { parameters })).nodes[0]!.spec.inputs!;
}

test('defaults serve where nothing is given, and text is read as the declared type', async () => {
  assert.deepEqual(await inputsWith({ must: '7' }), {
    n: { value: 3 },
    flag: { value: false },
    name: { value: '<plain>' },
    list: { value: ['a', 'b', 'z'] },
    must: { value: 7 },
  });
  const given = { must: 1, n: '4.5', flag: 'true', name: 12, list: 'p,q' };
  assert.deepEqual(await inputsWith(given), {
    n: { value: 4.5 },
    flag: { value: true },
    name: { value: '<12>' },
    list: { value: ['p', 'q', 'z'] },
    must: { value: 1 },
  });
  assert.deepEqual(((await inputsWith({ must: 1, list: '["a,b"]' })) as { list: Json }).list, {
    value: ['a,b', 'z'],
  });
});

test('missing, unknown and unfitting values are refused together', async () => {
  const parameters = { n: 'many', flga: true };
  const error = await refusal(text, 'flow.yaml', { parameters });
  assert.deepEqual(
    error.problems.map(({ code }) => code),
    ['PARAMETER_VALUE', 'PARAMETER_MISSING', 'PARAMETER_UNKNOWN'],
  );
  assert.equal(error.problems[2]!.hint, 'did you mean "flag"?');
  assert.deepEqual(await problemsOf(text, 'flow.yaml', { parameters: { must: 1, list: { a: 1 } } }), [
    '6:9 PARAMETER_VALUE',
  ]);
});

test('file parameters start at the document by default and at the given folder when set', async (t) => {
  const folder = await temporaryFolder(t);
  mkdirSync(join(folder, 'elsewhere'));
  writeFileSync(join(folder, 'a.csv'), 'default');
  writeFileSync(join(folder, 'elsewhere', 'b.csv'), 'given');
  const source = {
    path: join(folder, 'flow.yaml'),
    text: 'name: x\nparams: { table: { file: a.csv } }\nactions: [{ id: 1, command: x, inputs: { t: "${params.table}" } }]\n',
  };
  const nameIn = async (options: object) => {
    const { nodes } = await loadVarveWorkflow(source, options);
    return (nodes[0]!.spec.inputs as { t: { file: { name: string; path: string } } }).t.file;
  };
  assert.equal((await nameIn({})).path, join(folder, 'a.csv'));
  const options = { parameters: { table: 'b.csv' }, parametersFolder: join(folder, 'elsewhere') };
  assert.equal((await nameIn(options)).path, join(folder, 'elsewhere', 'b.csv'));
  await assert.rejects(
    loadVarveWorkflow(source, { parameters: { table: 'b.csv' } }),
    (error: { problems: { code: string }[] }) => {
      return error.problems[0]!.code === 'FILE_MISSING';
    },
  );
});
