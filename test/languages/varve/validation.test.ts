import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatError } from '../../../src/core/errors.ts';
import { loadText, problemsOf, refusal } from './load-text.ts';

test('a document of Pingo is accepted as it stands, trailing comma included', async () => {
  const text = `{
    "name": "Example Workflow",
    "startActionId": 1,
    "endActionId": 2,
    "actions": [
      { "id": 1, "name": "first", "type": "command-line", "command": "echo 1" },
      { "id": 2, "name": "second", "type": "command-line", "command": "echo 2", "forceComputation": true,
        "isManaged": false, "outputPath": "/tmp/result", "parentActions": [ { "id": 1, } ],
        "additionalInput": [{ "key": "a", "value": "x y" }, { "value": 2 }],
        "configurationParameters": [{ "value": "fast" }] }
    ]
  }`;
  const { nodes, name, failurePolicy } = await loadText(text, 'flow.json');
  assert.equal(name, 'Example Workflow');
  assert.equal(failurePolicy, 'stop');
  assert.deepEqual(
    nodes.map(({ key, parents, result }) => ({ key, parents, result })),
    [
      { key: '1', parents: [], result: false },
      { key: '2', parents: [{ slot: '1', key: '1' }], result: true },
    ],
  );
  assert.equal(nodes[1]!.policy.forced, true);
  assert.equal(nodes[1]!.policy.outputPath, '/tmp/result');
  assert.deepEqual(nodes[1]!.spec.additionalInput, [
    ['a', 'x y'],
    ['2', '2'],
  ]);
});

test('all problems are reported at once, each with code, place and hint', async () => {
  const text = `name: broken
failurePolicy: halt
actions:
  - id: a
    comand: echo
  - id: b
    command: 5
    timeout: soon
    retries: { cuont: 2 }
  - id: b
    command: [echo, "\${inputs.x}"]
    parentActions: [nobody]
`;
  const error = await refusal(text);
  assert.equal(error.code, 'WORKFLOW_INVALID');
  assert.deepEqual(
    error.problems.map(({ place, code }) => `${place!.line}:${place!.column} ${code}`),
    [
      '2:16 FIELD_VALUE',
      '5:5 FIELD_UNKNOWN',
      '4:5 FIELD_MISSING',
      '7:14 FIELD_TYPE',
      '8:14 UNIT_INVALID',
      '9:14 FIELD_TYPE',
      '10:9 ACTION_ID_DUPLICATE',
      '12:21 ACTION_UNDEFINED',
      '11:21 REFERENCE_UNKNOWN',
    ],
  );
  assert.equal(error.problems[1]!.hint, 'did you mean "command"?');
  assert.match(formatError(error), /flow\.yaml:5:5: action "a" has no field "comand" \[FIELD_UNKNOWN\]/);
});

test('places in JSON are exact although the fast path keeps none', async () => {
  const text =
    '{\n  "name": "x",\n  "actions": [\n    {"id": 1, "command": "a"},\n    {"id": 2, "typ": 1}\n  ]\n}';
  assert.deepEqual(await problemsOf(text, 'flow.json'), ['5:15 FIELD_UNKNOWN', '5:5 FIELD_MISSING']);
});

test('syntax errors and duplicate keys are named with their place, in JSON and in YAML', async () => {
  assert.deepEqual(await problemsOf('{ "name": "x", }}', 'flow.json'), ['1:17 DOCUMENT_SYNTAX']);
  assert.deepEqual(await problemsOf('{"name": "x",\n "name": "y", "actions": []}', 'flow.json'), [
    '2:2 DOCUMENT_DUPLICATE_KEY',
  ]);
  assert.deepEqual(await problemsOf('{"a\\"}{": 1, "a\\"}{": 2}', 'flow.json'), [
    '1:14 DOCUMENT_DUPLICATE_KEY',
  ]);
  assert.deepEqual(await problemsOf('name: x\nname: y\nactions: []\n'), ['2:1 DOCUMENT_DUPLICATE_KEY']);
  assert.deepEqual(await problemsOf('name: [x\nactions: 1\n'), ['2:1 DOCUMENT_SYNTAX']);
  assert.match((await problemsOf('', 'flow.json'))[0]!, /DOCUMENT_SYNTAX/);
});

test('a document that is no object, or has no actions, says so', async () => {
  assert.deepEqual(await problemsOf('- 1\n'), ['1:1 FIELD_TYPE']);
  assert.deepEqual(await problemsOf(''), ['1:1 FIELD_TYPE']);
  assert.deepEqual(await problemsOf('name: x\nactions: []\n'), ['2:10 WORKFLOW_NO_ACTIONS']);
  assert.deepEqual(await problemsOf('name: x\n'), ['1:1 FIELD_MISSING']);
});

test('a cycle is named, and a self-reference is one', async () => {
  const cycle = await refusal(
    'name: x\nactions:\n' +
      ['a: [c]', 'b: [a]', 'c: [b]', 'd: [c]']
        .map((line) => `  - { id: ${line.replace(':', ', parentActions:')}, command: x }\n`)
        .join(''),
  );
  assert.deepEqual(
    cycle.problems.map((problem) => problem.message),
    ['actions wait for each other: "a" -> "b" -> "c" -> "a"'],
  );
  assert.deepEqual(await problemsOf('name: x\nactions: [{ id: 1, command: x, parentActions: [1] }]\n'), [
    '2:11 WORKFLOW_CYCLE',
  ]);
});

test('start and end must exist and be in order', async () => {
  const actions = '[{ id: 1, command: x }, { id: 2, command: x, inputs: { i: { from: 1 } } }]';
  assert.deepEqual(await problemsOf(`name: x\nstartActionId: 2\nendActionId: 1\nactions: ${actions}\n`), [
    '3:14 WORKFLOW_END_BEFORE_START',
  ]);
  assert.deepEqual(await problemsOf(`name: x\nstartActionId: 3\nactions: ${actions}\n`), [
    '2:16 ACTION_UNDEFINED',
  ]);
  const { nodes } = await loadText(`name: x\nstartActionId: 1\nendActionId: 1\nactions: ${actions}\n`);
  assert.deepEqual(
    nodes.map((node) => node.result),
    [true, true],
  );
});

test('ids may be integers or strings, and 1 and "1" are the same', async () => {
  assert.deepEqual(await problemsOf('name: x\nactions: [{ id: 1, command: x }, { id: "1", command: x }]\n'), [
    '2:40 ACTION_ID_DUPLICATE',
  ]);
  for (const id of ['-1', '1.5', '"a/b"', '".."', '"x[0]"', 'true'])
    assert.match((await problemsOf(`name: x\nactions: [{ id: ${id}, command: x }]\n`))[0]!, /FIELD|NAME/, id);
});

test('a chain of 100,000 actions is checked without recursion, and its far end is found to be a cycle', async () => {
  const actions = Array.from({ length: 100_000 }, (_, i) => ({
    id: i,
    command: 'x',
    parentActions: i > 0 ? [i - 1] : [],
  }));
  const { nodes } = await loadText(JSON.stringify({ name: 'chain', actions }), 'flow.json');
  assert.equal(nodes.length, 100_000);
  actions[0]!.parentActions.push(99_999);
  const error = await refusal(JSON.stringify({ name: 'chain', actions }), 'flow.json');
  assert.match(error.problems[0]!.message, /"0" -> "1" -> .*\(and 99980 more\)/);
});

test('Hadoop types are known but unsupported; unknown types are mistakes', async () => {
  for (const type of ['map-reduce-1', 'map-reduce-2', 'spark', 'sqoop']) {
    const error = await refusal(`name: x\nactions: [{ id: 1, name: n, type: ${type}, mapperClass: M }]\n`);
    assert.equal(error.kind, 'unsupported');
    assert.equal(error.code, 'WORKFLOW_UNSUPPORTED');
    assert.equal(error.problems[0]!.code, 'ACTION_TYPE_UNSUPPORTED');
    assert.match(error.problems[0]!.message, new RegExp(`"${type}" need a Hadoop back-end`));
  }
  const java =
    'name: x\nactions: [{ id: 1, type: command-line, mainClassName: M, nameNode: n, jobTracker: j }]\n';
  assert.equal((await refusal(java)).kind, 'unsupported');
  const typo = await refusal('name: x\nactions: [{ id: 1, type: comand-line, command: x }]\n');
  assert.equal(typo.problems[0]!.hint, 'did you mean "command-line"?');
  assert.equal(typo.kind, 'invalid');
});

test('managed and unmanaged outputs are told apart and contradictions refused', async () => {
  const action = (fields: string) => `name: x\nactions: [{ id: 1, command: x, ${fields} }]\n`;
  assert.deepEqual(await problemsOf(action('isManaged: false')), ['2:11 FIELD_CONFLICT']);
  assert.deepEqual(await problemsOf(action('isManaged: true, outputPath: /a')), ['2:11 FIELD_CONFLICT']);
  const { nodes } = await loadText(action('outputPath: out'));
  assert.equal(nodes[0]!.policy.outputPath, '/nowhere/out');
});

test('parents may be named by input, and names that share a variable are refused', async () => {
  const two = (inputs: string) =>
    `name: x\nactions: [{ id: a-b, command: x, outputs: { t: t.csv } }, { id: a_b, command: x }, { id: 3, command: x, ${inputs} }]\n`;
  assert.match((await problemsOf(two('parentActions: [a-b, a_b]')))[0]!, /VARIABLE_COLLISION/);
  assert.match((await problemsOf(two('inputs: { n: 1, N: 2 }')))[0]!, /VARIABLE_COLLISION/);
  const { nodes } = await loadText(two('parentActions: [a-b, a-b], inputs: { other: { from: a_b } }'));
  assert.deepEqual(nodes[2]!.parents, [
    { slot: 'other', key: 'a_b' },
    { slot: 'a-b', key: 'a-b' },
  ]);
  const unknown = await refusal(two('inputs: { i: { from: a-b, output: tt } }'));
  assert.equal(unknown.problems[0]!.code, 'OUTPUT_UNDEFINED');
  assert.equal(unknown.problems[0]!.hint, 'did you mean "t"?');
});

test('more problems than anybody reads are counted, not listed', async () => {
  const actions = Array.from({ length: 3000 }, (_, id) => ({ id, command: 'x', tpye: 1 }));
  const error = await refusal(JSON.stringify({ name: 'x', actions }), 'flow.json');
  assert.equal(error.problems.length, 1000);
  assert.match(error.message, /3000 problems, the first 1000 are shown/);
});

test('a document built in memory is checked like any other', async () => {
  const { loadVarveWorkflow } = await import('../../../src/languages/varve/load-workflow.ts');
  const document = { name: 'x', actions: [{ id: 1, command: ['${nothing}'] }] };
  await assert.rejects(loadVarveWorkflow({ document, folder: '/nowhere' }), { code: 'WORKFLOW_INVALID' });
});
