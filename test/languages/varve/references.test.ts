import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadText, problemsOf, refusal } from './load-text.ts';

const flow = (action: string, rest = '') =>
  `name: x\n${rest}actions:\n  - { id: p, command: x, outputs: { t: t.csv, many: "*.txt" } }\n  - { id: a, ${action} }\n`;

test('references stay symbolic and parameters are put in', async () => {
  const text = flow(
    'command: [tool, "--n=${params.n}", "${inputs.t}", "${inputs.l[*]}", "${params.l[*]}", "${outputs.o}", "$${HOME}", 5], ' +
      'inputs: { t: { from: p, output: t }, l: [1, 2] }, outputs: { o: "${params.n}.out" }, env: { T: "${resources.cores}" }',
    'params: { n: 3, l: [x, y] }\n',
  );
  const { spec, identity } = (await loadText(text)).nodes[1]!;
  assert.deepEqual(spec.argv, [
    'tool',
    '--n=3',
    [{ ref: 'inputs.t' }],
    [{ ref: 'inputs.l', spread: true }],
    'x',
    'y',
    [{ ref: 'outputs.o' }],
    '${HOME}',
    '5',
  ]);
  assert.deepEqual(spec.outputs, { o: '3.out' });
  assert.deepEqual(spec.env, { T: [{ ref: 'resources.cores' }] });
  assert.equal(identity, spec, 'without places, spec and identity are one object');
});

test('a reference to nothing, or at the wrong place, is refused with a hint', async () => {
  const cases: readonly [string, string, RegExp][] = [
    ['command: ["${inputs.quite}"], inputs: { t: 1 }', 'REFERENCE_UNKNOWN', /the inputs are: t/],
    ['command: ["${inputs.tt}"], inputs: { table: 1, t: 1 }', 'REFERENCE_UNKNOWN', /did you mean "t"/],
    ['command: ["${HOME}"]', 'REFERENCE_UNKNOWN', /write \$\$\{ for a literal/],
    ['command: ["${inputs.t"]', 'REFERENCE_SYNTAX', /literal/],
    ['command: [a, "${outputs.no}"]', 'REFERENCE_UNKNOWN', /there are no outputs/],
    ['command: [a, "${outputs.g}"], outputs: { g: "*.x" }', 'REFERENCE_SYNTAX', /\$\{output\}/],
    ['command: [a, "${resources.memory}"]', 'REFERENCE_SYNTAX', /declare `resources.memory`/],
    ['command: [a, "${resources.ram}"]', 'REFERENCE_UNKNOWN', /the resources are/],
    ['command: [a, "${inputs.l}"], inputs: { l: [1] }', 'REFERENCE_SYNTAX', /\$\{inputs.l\[\*\]\}/],
    ['command: [a, "x${inputs.l[*]}"], inputs: { l: [1] }', 'REFERENCE_SYNTAX', /whole item/],
    ['command: [a, "${inputs.n[*]}"], inputs: { n: 1 }', 'REFERENCE_SYNTAX', /write \$\{inputs.n\}/],
    ['command: [a], inputs: { n: "${inputs.m}" }', 'REFERENCE_SYNTAX', /\$\{params.NAME\}/],
    ['command: [a], outputs: { o: "${output}" }', 'REFERENCE_SYNTAX', /references here are/],
    ['command: [a, "${params.f}"]', 'REFERENCE_UNKNOWN', /there are no params/],
    ['command: "cat ${inputs.t}", inputs: { t: { from: p } }', 'REFERENCE_IN_SHELL', /"\$VARVE_INPUT_T"/],
    ['command: [a], stdin: nothing', 'REFERENCE_UNKNOWN', /\{ file: path \}/],
  ];
  for (const [action, code, hint] of cases) {
    const [problem, ...more] = (await refusal(flow(action))).problems;
    assert.equal(problem!.code, code, action);
    assert.match(problem!.hint ?? '', hint, action);
    assert.deepEqual(more, [], action);
  }
});

test('shell variables and shell expansions are left to the shell', async () => {
  const { nodes } = await loadText(flow('command: "echo ${HOME} ${x:-1} $(date)"'));
  assert.equal(nodes[1]!.spec.shell, 'echo ${HOME} ${x:-1} $(date)');
});

test('conditions and scatters are checked when the document is', async () => {
  const cases: readonly [string, string][] = [
    ['when: "inputs.n >", inputs: { n: 1 }', 'CONDITION_SYNTAX'],
    ['when: inputs.m == 1, inputs: { n: 1 }', 'CONDITION_REFERENCE'],
    ['when: params.m == 1', 'CONDITION_REFERENCE'],
    ['when: inputs.t == 1, inputs: { t: { from: p } }', 'CONDITION_REFERENCE'],
    ['scatter: n, inputs: { n: 1 }', 'SCATTER_NOT_LIST'],
    ['scatter: m, inputs: { n: [1] }', 'REFERENCE_UNKNOWN'],
    ['scatter: t, inputs: { t: { from: p, output: t } }', 'SCATTER_NOT_LIST'],
    ['scatter: { over: l, as: "a b" }, inputs: { l: [1] }', 'NAME_INVALID'],
    ['scatter: { over: l, as: n }, inputs: { l: [1], n: 2 }', 'VARIABLE_COLLISION'],
    ['inputs: { t: { from: p, as: json } }', 'FIELD_CONFLICT'],
    ['inputs: { t: { from: p, output: t, files: "*" } }', 'FIELD_CONFLICT'],
  ];
  for (const [fields, code] of cases)
    assert.match((await problemsOf(flow(`command: x, ${fields}`)))[0]!, new RegExp(`${code}$`), fields);
});

test('paths of outputs stay inside the output directory, also after parameters were put in', async () => {
  for (const path of ['/abs', '../x', 'a/../../b', '""'])
    assert.match((await problemsOf(flow(`command: x, outputs: { o: ${path} }`)))[0]!, /FIELD_VALUE/, path);
  const sneaky = flow(
    'command: x, outputs: { o: "${params.p}/x" }, stdout: "${params.p}"',
    'params: { p: ".." }\n',
  );
  assert.deepEqual(
    (await problemsOf(sneaky)).map((text) => text.split(' ')[1]),
    ['FIELD_VALUE', 'FIELD_VALUE'],
  );
});
