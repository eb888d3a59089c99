import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { Json } from '../../../src/core/json.ts';
import { signNodes } from '../../../src/core/sign-nodes.ts';
import { expandAction } from '../../../src/languages/varve/expand.ts';
import { loadVarveWorkflow } from '../../../src/languages/varve/load-workflow.ts';
import { loadText } from './load-text.ts';
import { type RanWorkflow, runWorkflow, temporaryFolder } from './run-document.ts';

async function run(
  t: TestContext,
  text: string,
  parameters: Record<string, Json> = {},
): Promise<RanWorkflow> {
  const folder = await temporaryFolder(t);
  writeFileSync(join(folder, 'one.txt'), '1\n');
  writeFileSync(join(folder, 'two.txt'), '2\n');
  const workflow = await loadVarveWorkflow({ path: join(folder, 'flow.yaml'), text }, { parameters });
  const ran = await runWorkflow(workflow, folder);
  assert.deepEqual([...ran.failures], []);
  return ran;
}

const read = (ran: RanWorkflow, key: string, name: string) =>
  readFileSync(join(ran.datasets.get(key)!.path, name), 'utf8');

const gather = `
  - id: all
    command: 'cat "$VARVE_INPUT_PARTS"/*/o > "$VARVE_OUTPUT/o"'
    inputs: { parts: { from: each } }
`;

test('a known list is scattered in order and gathered in order', async (t) => {
  const ran = await run(
    t,
    `name: x
params: { names: [c, a, b] }
actions:
  - { id: each, command: 'echo "$VARVE_INPUT_NAME" > "$VARVE_OUTPUT/o"', inputs: { names: "\${params.names}" }, scatter: { over: names, as: name } }
${gather}`,
  );
  assert.deepEqual(ran.grown.get('each'), ['each[0]', 'each[1]', 'each[2]']);
  assert.equal(read(ran, 'all', 'o'), 'c\na\nb\n');
  assert.equal(ran.nodes.get('each[1]')!.name, 'each[1]');
});

test('lists come from lines, JSON or files of a parent, and from given files', async (t) => {
  const make = `name: x
actions:
  - id: make
    command: 'cd "$VARVE_OUTPUT"; printf "x\\ny\\n" > l; echo "[1, {\\"b\\": 2}]" > j; echo q > q.csv; echo p > p.csv'
    outputs: { l: l, j: j, tables: "*.csv" }
`;
  const each = (input: string, command: string) => `${make}
  - { id: each, command: '${command} > "$VARVE_OUTPUT/o"', inputs: { v: ${input} }, scatter: v }
${gather}`;
  const value = 'echo "$VARVE_INPUT_V"';
  const content = 'cat "$VARVE_INPUT_V"';
  const cases: readonly [string, string, string][] = [
    ['{ from: make, output: l, as: lines }', value, 'x\ny\n'],
    ['{ from: make, output: j, as: json }', value, '1\n{"b":2}\n'],
    ['{ from: make, files: "*.csv" }', content, 'p\nq\n'],
    ['{ from: make, output: tables }', content, 'p\nq\n'],
    ['[{ file: two.txt }, { file: one.txt }]', content, '2\n1\n'],
  ];
  for (const [input, command, expected] of cases)
    assert.equal(read(await run(t, each(input, command)), 'all', 'o'), expected, input);
});

test('a scatter over a scattered parent pairs element with element', async (t) => {
  const ran = await run(
    t,
    `name: x
actions:
  - { id: first, command: 'echo "$VARVE_INPUT_N" > "$VARVE_OUTPUT/o"', inputs: { n: [1, 2, 3] }, scatter: n, outputs: { o: o } }
  - { id: each, command: 'sed s/^/n/ "$VARVE_INPUT_F/o" > "$VARVE_OUTPUT/o"', inputs: { f: { from: first } }, scatter: f }
  - { id: file, command: 'cat "$VARVE_INPUT_F" > "$VARVE_OUTPUT/o"', inputs: { f: { from: first, output: o } }, scatter: f }
  - { id: files, command: 'ls "$VARVE_INPUT_F"; cat "$VARVE_INPUT_F"/*', stdout: o, inputs: { f: { from: file, files: o } } }
${gather}`,
  );
  assert.equal(read(ran, 'all', 'o'), 'n1\nn2\nn3\n');
  assert.deepEqual(ran.nodes.get('each[1]')!.parents, [{ slot: 'f', key: 'first[1]' }]);
  assert.equal(read(ran, 'files', 'o'), '00000\n00001\n00002\n1\n2\n3\n');
});

test('an empty list gives an empty folder, and spread references take elements as words', async (t) => {
  const text = (list: string) => `name: x
actions:
  - { id: each, command: 'echo "$VARVE_INPUT_N" > "$VARVE_OUTPUT/o"', inputs: { n: ${list} }, scatter: n, outputs: { o: o } }
  - { id: all, command: [cat, /dev/null, "\${inputs.parts[*]}"], inputs: { parts: { from: each, output: o } }, stdout: o }
`;
  assert.equal(read(await run(t, text('[]')), 'all', 'o'), '');
  assert.equal(read(await run(t, text('[5, 6]')), 'all', 'o'), '5\n6\n');
});

test('a condition skips an action with its reason, and optional children go on with nothing', async (t) => {
  const text = `name: x
params: { n: 1 }
actions:
  - { id: count, command: 'echo 4 > "$VARVE_OUTPUT/n"', outputs: { n: n } }
  - { id: maybe, command: 'echo ran > "$VARVE_OUTPUT/o"', inputs: { n: { from: count, output: n, as: number } }, when: inputs.n > params.n, outputs: { o: o } }
  - { id: child, command: 'echo "<$VARVE_INPUT_M>" > "$VARVE_OUTPUT/o"', inputs: { m: { from: maybe, output: o, as: text, optional: true } } }
`;
  const yes = await run(t, text);
  assert.equal(read(yes, 'child', 'o'), '<ran>\n');
  assert.deepEqual(yes.grown.get('maybe'), ['maybe[when]']);
  const no = await run(t, text, { n: 9 });
  assert.equal(no.skipped.get('maybe'), 'the condition is false: inputs.n > params.n');
  assert.equal(read(no, 'child', 'o'), '<>\n');
});

test('scatter and when together keep the entries for which the condition holds', async (t) => {
  const ran = await run(
    t,
    `name: x
actions:
  - { id: each, command: 'echo "$VARVE_INPUT_N" > "$VARVE_OUTPUT/o"', inputs: { n: [1, 5, 2, 7] }, scatter: n, when: inputs.n > 3 }
${gather}`,
  );
  assert.deepEqual(ran.grown.get('each'), ['each[1]', 'each[3]']);
  assert.equal(read(ran, 'all', 'o'), '5\n7\n');
});

test('an element has the identity of the same action written out by hand', async () => {
  const scattered = await loadText(
    'name: x\nactions: [{ id: a, command: x, inputs: { n: [1, 2] }, scatter: n }]\n',
  );
  const plain = await loadText('name: x\nactions: [{ id: b, command: x, inputs: { n: 2 } }]\n');
  const growth = await expandAction().expand!(scattered.nodes[0]!, []);
  assert.deepEqual(growth.nodes[1]!.identity, plain.nodes[0]!.identity);
  assert.equal(signNodes(growth.nodes).get('a[1]')!.signature, signNodes(plain.nodes).get('b')!.signature);
  assert.deepEqual(await expandAction().expand!(scattered.nodes[0]!, []), growth, 'growth is repeatable');
});

test('a file of a parent enters an element by name and content, not by the dataset around it', async (t) => {
  const folder = await temporaryFolder(t);
  for (const name of ['a.csv', 'b.csv', 'note.txt']) writeFileSync(join(folder, name), name);
  const text =
    'name: x\nactions: [{ id: p, command: x }, { id: a, command: x, inputs: { f: { from: p, files: "*.csv" } }, scatter: f }]\n';
  const { nodes } = await loadText(text);
  const input = { slot: 'f', position: '', node: 'p', path: folder, digest: '', value: null };
  const before = await expandAction().expand!(nodes[1]!, [input]);
  assert.deepEqual(before.nodes[0]!.parents, [{ slot: 'f', key: 'p', signed: false }]);
  writeFileSync(join(folder, 'b.csv'), 'changed');
  const after = await expandAction().expand!(nodes[1]!, [input]);
  assert.deepEqual(after.nodes[0]!.identity, before.nodes[0]!.identity);
  assert.notDeepEqual(after.nodes[1]!.identity, before.nodes[1]!.identity);
  const known = (key: string) => (key === 'p' ? 'one signature' : undefined);
  const other = (key: string) => (key === 'p' ? 'another signature' : undefined);
  assert.equal(
    signNodes(before.nodes, known).get('a[0]')!.signature,
    signNodes(before.nodes, other).get('a[0]')!.signature,
  );
});

test('10,000 elements expand and their gathering prepares', async (t) => {
  const list = JSON.stringify(Array.from({ length: 10_000 }, (_, i) => `item ${i}`));
  const { nodes } = await loadText(
    `{"name": "x", "actions": [{"id": "a", "command": "x", "inputs": {"n": ${list}}, "scatter": "n"}]}`,
    'f.json',
  );
  const growth = await expandAction().expand!(nodes[0]!, []);
  assert.equal(growth.results.length, 10_000);
  assert.equal(growth.results[9_999], 'a[9999]');
  const { linkAll } = await import('../../../src/languages/varve/input-links.ts');
  const folder = await temporaryFolder(t);
  const targets = Array.from({ length: 10_000 }, (_, i) => `/nowhere/${i}.tar.gz`);
  await linkAll(join(folder, 'l'), targets, true);
  const names = readdirSync(join(folder, 'l')).sort();
  assert.deepEqual([names.length, names[0], names[9_999]], [10_000, '00000.tar.gz', '09999.tar.gz']);
});

test('values that do not fit are failures with a code', async (t) => {
  const make = (content: string, rest: string) => `name: x
actions:
  - { id: p, command: 'printf "${content}" > "$VARVE_OUTPUT/f"', outputs: { f: f } }
  - { id: a, command: x, inputs: { v: { from: p, output: f, as: ${rest} }
`;
  await assert.rejects(run(t, make('x', 'number } }, when: inputs.v > 1')), { code: 'INPUT_VALUE' });
  await assert.rejects(run(t, make('{', 'json } }, when: inputs.v > 1')), { code: 'INPUT_VALUE' });
  await assert.rejects(run(t, make('x', 'text } }, when: inputs.v > 1')), { code: 'CONDITION_VALUE' });
  await assert.rejects(run(t, make('3', 'json } }, scatter: v')), { code: 'SCATTER_VALUE' });
  await assert.rejects(run(t, make(`${'%070000d'}" 1 "`, 'text } }, when: inputs.v == ""')), {
    code: 'INPUT_VALUE',
    message: /140000 bytes/,
  });
});
