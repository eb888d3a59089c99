import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../../src/core/json.ts';
import { signNodes } from '../../src/core/sign-nodes.ts';
import type { WorkflowDefinition } from '../../src/core/workflow.ts';
import { failure, lower, run, writeFiles } from './documents.ts';

const echo = `{class: CommandLineTool, baseCommand: echo, stdout: o, inputs: {text: {type: string, inputBinding: {}}}, outputs: {out: {type: string, outputBinding: {glob: o, loadContents: true, outputEval: "$(self[0].contents)"}}}}`;
const words = `{class: ExpressionTool, inputs: {text: string}, outputs: {list: 'string[]'}, expression: "$({list: inputs.text.split(' ')})", requirements: {InlineJavascriptRequirement: {}}}`;

const workflow = (inputs: string, outputs: string, steps: string) => `cwlVersion: v1.2
class: Workflow
requirements: {ScatterFeatureRequirement: {}, SubworkflowFeatureRequirement: {}, StepInputExpressionRequirement: {}, MultipleInputFeatureRequirement: {}, InlineJavascriptRequirement: {}}
inputs: ${inputs}
outputs: ${outputs}
steps:
${steps}`;

const keys = (definition: WorkflowDefinition) => definition.nodes.map(({ key }) => key);
const signature = (definition: WorkflowDefinition, key: string) =>
  signNodes(definition.nodes).get(key)?.signature;

test('a scatter over a known list becomes one node for each element, and so does the scatter after it', async () => {
  const text = workflow(
    "{list: 'string[]'}",
    "{out: {type: 'string[]', outputSource: two/out}}",
    `  one: {scatter: text, in: {text: list}, out: [out], run: ${echo}}
  two: {scatter: text, in: {text: one/out}, out: [out], run: ${echo}}
`,
  );
  const lowered = await lower(text, { list: ['a', 'b'] });
  assert.deepEqual(keys(lowered), ['one[0]', 'one[1]', 'two[0]', 'two[1]', '#outputs']);
  assert.deepEqual(lowered.nodes[2]?.parents, [{ slot: 's0', key: 'one[0]', optional: true }]);
  assert.deepEqual(await run(text, { list: ['a', 'b'] }), { out: ['a\n\n', 'b\n\n'] });
});

test('an element keeps its signature when the list around it changes', async () => {
  const text = workflow(
    "{list: 'string[]'}",
    '[]',
    `  one: {scatter: text, in: {text: list}, out: [out], run: ${echo}}\n`,
  );
  const short = await lower(text, { list: ['a', 'b'] });
  const long = await lower(text, { list: ['z', 'a', 'b'] });
  assert.equal(signature(short, 'one[0]'), signature(long, 'one[1]'));
});

test('a scatter over a list that a step produces grows when the list is known', async () => {
  const text = workflow(
    '{text: string}',
    "{out: {type: 'string[]', outputSource: two/out}}",
    `  one: {in: {text: text}, out: [list], run: ${words}}
  two: {scatter: text, in: {text: one/list}, out: [out], run: ${echo}}
`,
  );
  const lowered = await lower(text, { text: 'x y' });
  assert.deepEqual(
    lowered.nodes.map(({ key, type, expands }) => [key, type, expands]),
    [
      ['one', 'cwl-expression', false],
      ['two', 'cwl-step', true],
      ['#outputs', 'cwl-outputs', false],
    ],
  );
  assert.deepEqual(await run(text, { text: 'x y' }), { out: ['x\n', 'y\n'] });
});

test('nested products, conditions and inner workflows grow into the right shape', async () => {
  const text = workflow(
    '{text: string}',
    '{grid: {type: Any, outputSource: grid/out}, some: {type: Any, outputSource: some/out}, inner: {type: Any, outputSource: inner/both}, none: {type: Any, outputSource: empty/out}}',
    `  one: {in: {text: text}, out: [list], run: ${words}}
  grid:
    scatter: [text, more]
    scatterMethod: nested_crossproduct
    in: {text: {source: one/list, valueFrom: $(self + inputs.more)}, more: one/list}
    out: [out]
    run: ${echo}
  some: {scatter: text, when: "$(inputs.text != 'x')", in: {text: one/list}, out: [out], run: ${echo}}
  empty: {scatter: text, in: {text: {source: one/list, valueFrom: $(self)}, none: {default: []}}, out: [out], run: ${echo}, when: $(false)}
  inner:
    scatter: word
    in: {word: one/list}
    out: [both]
    run:
      class: Workflow
      inputs: {word: string}
      outputs: {both: {type: 'string[]', outputSource: [a/out, b/out, word]}}
      steps:
        a: {in: {text: word}, out: [out], run: ${echo}}
        b: {in: {text: a/out}, out: [out], when: "$(inputs.text != 'x\\\\n')", run: ${echo}}
`,
  );
  assert.deepEqual(await run(text, { text: 'x y' }), {
    grid: [
      ['xx\n', 'xy\n'],
      ['yx\n', 'yy\n'],
    ],
    some: [null, 'y\n'],
    none: [null, null],
    inner: [
      ['x\n', null, 'x'],
      ['y\n', 'y\n\n', 'y'],
    ],
  });
});

test('steps of inner workflows are inlined and wait for no more than they use', async () => {
  const text = workflow(
    '{text: string}',
    '{out: {type: string, outputSource: inner/out}}',
    `  slow: {in: {text: text}, out: [out], run: ${echo}}
  fast: {in: {text: text}, out: [out], run: ${echo}}
  inner:
    in: {a: slow/out, b: fast/out}
    out: [out]
    run:
      class: Workflow
      inputs: {a: string, b: string}
      outputs: {out: {type: string, outputSource: last/out}}
      steps:
        last: {in: {text: b}, out: [out], run: ${echo}}
`,
  );
  const lowered = await lower(text, { text: 'hi' });
  const last = lowered.nodes.find(({ key }) => key === 'inner/last');
  assert.deepEqual(
    last?.parents.map(({ key }) => key),
    ['fast'],
  );
});

test('the same tool on the same bytes has one identity, whatever the workflow, names and descriptions', async () => {
  const folder = await writeFiles({ 'a/in.txt': 'same', 'b/in.txt': 'same' });
  const tool = (name: string, doc: string) =>
    `{class: CommandLineTool, doc: ${doc}, id: ${name}, baseCommand: cat, inputs: {f: {type: File, inputBinding: {}, doc: ${doc}}}, outputs: {out: stdout}, hints: {ResourceRequirement: {coresMin: ${doc.length}}}}`;
  const one = await lower(
    workflow('{f: File}', '[]', `  s: {in: {f: f}, out: [out], run: ${tool('x', 'first')}}\n`),
    { f: { class: 'File', location: `file://${folder}/a/in.txt` } },
  );
  const two = await lower(
    workflow('{g: File}', '[]', `  t: {in: {f: g}, out: [out], run: ${tool('y', 'second one')}}\n`),
    { g: { class: 'File', location: `file://${folder}/b/in.txt` } },
  );
  assert.equal(signature(one, 's'), signature(two, 't'));
});

test('resources count for a tool that looks at them, and only for such a tool', async () => {
  const tool = (cores: number, argument: string) =>
    `cwlVersion: v1.2\nclass: CommandLineTool\nbaseCommand: echo\narguments: [${argument}]\ninputs: []\noutputs: []\nrequirements: {ResourceRequirement: {coresMin: ${cores}}}\n`;
  const sign = async (cores: number, argument: string) =>
    signature(await lower(tool(cores, argument)), 'main');
  assert.equal(await sign(1, 'x'), await sign(2, 'x'));
  assert.notEqual(await sign(1, '$(runtime.cores)'), await sign(2, '$(runtime.cores)'));
  assert.equal(await sign(1, '$(runtime.outdir)'), await sign(2, '$(runtime.outdir)'));
});

test('a changed input, argument or environment changes the signature', async () => {
  const tool = (argument: string, env: string) =>
    `cwlVersion: v1.2\nclass: CommandLineTool\nbaseCommand: echo\narguments: [${argument}]\ninputs: {n: int}\noutputs: []\nrequirements: {EnvVarRequirement: {envDef: {A: ${env}}}}\n`;
  const sign = async (argument: string, env: string, n: number) =>
    signature(await lower(tool(argument, env), { n }), 'main');
  const all = [
    await sign('a', 'e', 1),
    await sign('b', 'e', 1),
    await sign('a', 'f', 1),
    await sign('a', 'e', 2),
  ];
  assert.equal(new Set(all).size, 4);
});

test('a required container without an engine, and an Operation, are unsupported before anything runs', async () => {
  const docker = (where: string) =>
    `cwlVersion: v1.2\nclass: CommandLineTool\nbaseCommand: echo\ninputs: []\noutputs: []\n${where}: {DockerRequirement: {dockerPull: debian}}\n`;
  const error = await failure(lower(docker('requirements')));
  assert.equal(error.kind, 'unsupported');
  assert.match(error.message, /requires the container debian/);
  assert.equal((await lower(docker('hints'))).nodes.length, 1);
  const operation = workflow(
    '[]',
    '[]',
    '  s: {in: [], out: [], run: {class: Operation, inputs: [], outputs: []}}\n',
  );
  assert.equal((await failure(lower(operation))).kind, 'unsupported');
});

test('WorkReuse false forces the computation', async () => {
  const tool = (reuse: string) =>
    `cwlVersion: v1.2\nclass: CommandLineTool\nbaseCommand: date\ninputs: []\noutputs: []\nrequirements: {WorkReuse: {enableReuse: ${reuse}}}\n`;
  assert.equal((await lower(tool('false'))).nodes[0]?.policy.forced, true);
  assert.equal((await lower(tool('true'))).nodes[0]?.policy.forced, false);
});

test('links merge and pick, and a failing pick fails the run', async () => {
  const text = workflow(
    '{a: string?, b: string?, l: "string[]"}',
    `{nested: {type: Any, outputSource: [s/out, l]}, flat: {type: Any, outputSource: [s/out, l], linkMerge: merge_flattened}, first: {type: string, outputSource: [a, s/out], pickValue: first_non_null}, all: {type: Any, outputSource: [a, s/out, b], pickValue: all_non_null}}`,
    `  s: {in: {text: {source: b, default: dflt}}, out: [out], run: ${echo}}\n`,
  );
  assert.deepEqual(await run(text, { l: ['x'] }), {
    nested: ['dflt\n', ['x']],
    flat: ['dflt\n', 'x'],
    first: 'dflt\n',
    all: ['dflt\n'],
  });
  const only = workflow(
    '{a: string}',
    '{o: {type: string, outputSource: [a, s/out], pickValue: the_only_non_null}}',
    `  s: {in: {text: a}, out: [out], run: ${echo}}\n`,
  );
  assert.equal((await failure(run(only, { a: 'x' }))).code, 'CWL_PICK_VALUE');
});

test('a condition that is not true or false, and lists that do not match, are errors', async () => {
  const condition = workflow(
    '{a: string}',
    '[]',
    `  s: {in: {text: a}, out: [out], when: $(inputs.text), run: ${echo}}\n`,
  );
  assert.equal((await failure(lower(condition, { a: 'x' }))).code, 'CWL_CONDITION');
  const product = workflow(
    '{a: "string[]", b: "string[]"}',
    '[]',
    `  s: {scatter: [text, b], scatterMethod: dotproduct, in: {text: a, b: b}, out: [out], run: ${echo}}\n`,
  );
  assert.equal((await failure(lower(product, { a: ['x'], b: [] } as JsonObject))).code, 'CWL_SCATTER');
});

test('lowering the same thing twice gives equal definitions', async () => {
  const text = workflow(
    "{list: 'string[]'}",
    '[]',
    `  one: {scatter: text, in: {text: list}, out: [out], run: ${echo}}\n`,
  );
  const [a, b] = [await lower(text, { list: ['a'] }), await lower(text, { list: ['a'] })];
  assert.deepEqual(
    a.nodes.map(({ identity }) => identity),
    b.nodes.map(({ identity }) => identity),
  );
});
