import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { formatError, VarveError } from '../../src/core/errors.ts';
import { loadDocument, urlOfArgument } from '../../src/languages/cwl/index.ts';
import { pathOfUrl, urlOfPath } from '../../src/languages/cwl/load/uri.ts';
import type { CommandLineTool, Workflow } from '../../src/languages/cwl/model/process.ts';
import { failure, load, loadProblems, writeFiles } from './documents.ts';

const tool = (rest: string, version = 'v1.2') =>
  `cwlVersion: ${version}\nclass: CommandLineTool\nbaseCommand: echo\n${rest}`;

test('every problem of a document is reported at once, each with its place', async () => {
  const problems = await loadProblems(`cwlVersion: v1.2
class: CommandLineTool
baseComand: echo
inputs:
  a: strin
  b: {type: int, inputBinding: {position: one}}
outputs: []
requirements:
  ResourceRequirement: {coresMin: many}
`);
  assert.deepEqual(problems, [
    '3:1 CWL_UNKNOWN_FIELD',
    '5:6 CWL_UNKNOWN_TYPE',
    '6:43 CWL_WRONG_VALUE',
    '9:35 CWL_WRONG_VALUE',
  ]);
});

test('a misspelt field, type, class or link is answered with what was probably meant', async () => {
  const error = await failure(load(tool('inputs: []\noutputs: []\nargments: [a]\n')));
  assert.match(formatError(error), /did you mean "arguments"\?/);
  assert.match(
    formatError(await failure(load(tool('inputs: {a: file}\noutputs: []\n')))),
    /did you mean "File"\?/,
  );
  assert.match(
    formatError(
      await failure(load('cwlVersion: v1.2\nclass: Workflw\ninputs: []\noutputs: []\nsteps: []\n')),
    ),
    /did you mean "Workflow"\?/,
  );
  const workflow = `cwlVersion: v1.2
class: Workflow
inputs: {message: string}
outputs: []
steps:
  one:
    in: {text: mesage}
    out: []
    run: {class: CommandLineTool, inputs: {text: string}, outputs: [], baseCommand: echo}
`;
  assert.match(formatError(await failure(load(workflow))), /main\.cwl:7:16: .*did you mean "message"\?/s);
});

test('a packed document without main says which processes there are and how to name one', async () => {
  const one = (id: string) =>
    `- {id: ${id}, class: CommandLineTool, baseCommand: echo, inputs: [], outputs: []}`;
  const packed = `cwlVersion: v1.2\n$graph:\n${one('align')}\n${one('count')}\n`;
  const folder = await writeFiles({
    'packed.cwl': packed,
    'empty.cwl': 'cwlVersion: v1.2\n$graph: []\n',
    'nameless.cwl': packed.replaceAll(/id: \w+, /g, ''),
    'flow.cwl': `cwlVersion: v1.2\nclass: Workflow\ninputs: []\noutputs: []\nsteps: {s: {run: packed.cwl, in: [], out: []}}\n`,
  });
  const told = async (name: string) => formatError(await failure(loadDocument(`file://${folder}/${name}`)));
  const message = await told('packed.cwl');
  assert.match(
    message,
    /packed\.cwl:3:1: the packed document .*packed\.cwl holds 2 processes, none of them called "main" \[CWL_NO_ENTRY\]/,
  );
  assert.match(message, /hint: name one of them: packed\.cwl#align, packed\.cwl#count$/);
  assert.match(await told('empty.cwl'), /empty\.cwl:2:9: the \$graph of .* holds no process/);
  assert.match(await told('nameless.cwl'), /hint: give each process in the \$graph an id/);
  assert.match(await told('flow.cwl'), /flow\.cwl:5:\d+: the packed document .*#count$/s);
  assert.match(
    await told('packed.cwl#algin'),
    /no process "algin" .*did you mean "align"|one of: align, count/s,
  );
  assert.equal((await loadDocument(`file://${folder}/packed.cwl#count`)).process.id.split('#')[1], 'count');
});

test('a text that is no YAML is an error with its place, not a stack trace', async () => {
  assert.deepEqual(await loadProblems('cwlVersion: v1.2\nclass: [unclosed\n'), ['3:1 CWL_SYNTAX']);
  assert.deepEqual(await loadProblems('a: 1\na: 2\n'), ['2:1 CWL_SYNTAX']);
});

test('a document that would explode by its aliases or its depth is refused quickly', async () => {
  const bomb = ['a0: &a0 [x, x, x, x, x, x, x, x, x, x]'];
  for (let i = 1; i < 12; i += 1)
    bomb.push(
      `a${i}: &a${i} [${Array(10)
        .fill(`*a${i - 1}`)
        .join(', ')}]`,
    );
  assert.match((await loadProblems(bomb.join('\n')))[0]!, /CWL_SYNTAX/);
  assert.match((await loadProblems('['.repeat(20_000)))[0]!, /CWL_SYNTAX/);
  assert.match((await loadProblems(`x: ${'['.repeat(2_000)}${']'.repeat(2_000)}`))[0]!, /CWL_SYNTAX/);
  assert.match((await loadProblems('a: &a [*a]'))[0]!, /CWL_SYNTAX/);
});

test('unknown hints are warnings, unknown requirements are unsupported', async () => {
  const hinted = await load(
    tool(
      'inputs: []\noutputs: []\nhints: {"sbg:Thing": {a: 1}, DockerRequirment: {}}\n$namespaces: {sbg: "https://sevenbridges.com/"}\n',
    ),
  );
  assert.deepEqual(
    hinted.warnings.map(({ code, hint }) => [code, hint]),
    [
      ['CWL_UNKNOWN_HINT', undefined],
      ['CWL_UNKNOWN_HINT', 'did you mean "DockerRequirement"?'],
    ],
  );
  const error = await failure(load(tool('inputs: []\noutputs: []\nrequirements: {Unheard: {}}\n')));
  assert.equal(error.kind, 'unsupported');
  assert.equal(error.code, 'CWL_UNKNOWN_REQUIREMENT');
});

test('fields are judged by the version that the document declares', async () => {
  const when = (version: string) => `cwlVersion: ${version}
class: Workflow
inputs: []
outputs: []
steps:
  one:
    in: []
    out: []
    when: $(true)
    run: {class: CommandLineTool, inputs: [], outputs: [], baseCommand: echo}
`;
  assert.deepEqual(await loadProblems(when('v1.1')), ['9:5 CWL_FIELD_TOO_NEW']);
  assert.deepEqual(await loadProblems(when('v1.2')), []);
  assert.deepEqual(await loadProblems(tool('inputs: []\noutputs: []\n', 'draft-3')), ['1:13 CWL_VERSION']);
  assert.deepEqual(await loadProblems('class: CommandLineTool\ninputs: []\noutputs: []\n'), [
    '1:1 CWL_MISSING_FIELD',
  ]);
});

test('$import, $include and $mixin are followed, relative to the document they stand in', async () => {
  const { process } = await load({
    'main.cwl': `cwlVersion: v1.2
class: CommandLineTool
requirements:
  - $import: parts/requirement.yml
inputs:
  a: {$mixin: parts/input.yml, doc: mine}
outputs: []
baseCommand: [echo, {$include: parts/text.txt}]
`,
    'parts/requirement.yml': 'class: InlineJavascriptRequirement\nexpressionLib: [{$include: lib.js}]\n',
    'parts/lib.js': 'function f() {}',
    'parts/input.yml': 'type: string\ndoc: theirs\n',
    'parts/text.txt': 'some text',
  });
  const made = process as CommandLineTool;
  assert.deepEqual(made.requirements, [
    { class: 'InlineJavascriptRequirement', expressionLib: ['function f() {}'] },
  ]);
  assert.deepEqual(made.inputs, [{ name: 'a', type: 'string', doc: 'mine' }]);
  assert.deepEqual(made.baseCommand, ['echo', 'some text']);
});

test('links to other documents may begin with a prefix of $namespaces', async () => {
  const { process } = await load({
    'main.cwl': `cwlVersion: v1.2
class: Workflow
$namespaces: {lib: shared/tools/}
requirements:
  - class: InlineJavascriptRequirement
    expressionLib: [{$include: "lib:lib.js"}]
inputs: []
outputs: []
steps: {a: {in: [], out: [], run: "lib:echo.cwl"}}
`,
    'shared/tools/echo.cwl':
      'cwlVersion: v1.2\nclass: CommandLineTool\nbaseCommand: echo\ninputs: []\noutputs: []\n',
    'shared/tools/lib.js': 'function f() {}',
  });
  assert.deepEqual(process.requirements, [
    { class: 'InlineJavascriptRequirement', expressionLib: ['function f() {}'] },
  ]);
  assert.equal((process as Workflow).steps[0]?.run.class, 'CommandLineTool');
});

test('types in packed documents may carry the id of the file that they came from', async () => {
  const type =
    '{type: record, name: "#types.yml/pair", id: "#types.yml", fields: [{name: "#types.yml/pair/a", type: int}]}';
  const problems = await loadProblems(`cwlVersion: v1.2
class: CommandLineTool
requirements: [{class: SchemaDefRequirement, types: [${type}]}]
inputs: {p: "#types.yml/pair"}
outputs: []
`);
  assert.deepEqual(problems, []);
});

test('a step may have the name of its workflow', async () => {
  const workflow = (link: string): string => `cwlVersion: v1.2
class: Workflow
id: sort
inputs: {text: string}
outputs: {out: {type: File, outputSource: "${link}"}}
steps:
  sort: {in: {text: text}, out: [out], run: {class: CommandLineTool, baseCommand: echo, inputs: {text: string}, outputs: {out: stdout}}}
`;
  for (const link of ['sort/out', '#sort/sort/out', 'sort/sort/out']) {
    const { process } = await load(workflow(link));
    assert.deepEqual((process as Workflow).outputs[0]?.link.sources, [{ step: 'sort', output: 'out' }], link);
  }
});

test('documents that import or run each other in a circle are errors', async () => {
  assert.match(
    (await loadProblems({ 'main.cwl': '$import: other.yml', 'other.yml': '$import: main.cwl' }))[0]!,
    /CWL_IMPORT_CYCLE/,
  );
  const workflow =
    'cwlVersion: v1.2\nclass: Workflow\ninputs: []\noutputs: []\nsteps: {a: {in: [], out: [], run: main.cwl}}\n';
  assert.match((await loadProblems(workflow))[0]!, /CWL_IMPORT_CYCLE/);
});

test('a packed document finds its processes and links by full identifiers', async () => {
  const { process } = await load(`{"cwlVersion": "v1.2", "$graph": [
  {"class": "CommandLineTool", "id": "#tool", "baseCommand": "echo",
   "inputs": [{"id": "#tool/text", "type": "string"}], "outputs": [{"id": "#tool/out", "type": "stdout"}]},
  {"class": "Workflow", "id": "#main", "inputs": [{"id": "#main/text", "type": "string"}],
   "outputs": [{"id": "#main/out", "type": "File", "outputSource": "#main/step/out"}],
   "steps": [{"id": "#main/step", "run": "#tool", "in": [{"id": "#main/step/text", "source": "#main/text"}], "out": ["#main/step/out"]}]}
]}`);
  const [step] = (process as Workflow).steps;
  assert.equal(step?.name, 'step');
  assert.deepEqual(step?.in[0]?.link.sources, [{ input: 'text' }]);
  assert.deepEqual((process as Workflow).outputs[0]?.link.sources, [{ step: 'step', output: 'out' }]);
});

test('types in every notation have one normal form', async () => {
  const { process } = await load(
    tool(`inputs:
  a: File[]?
  b: {type: [ "null", {type: array, items: int} ]}
  c: {type: {type: enum, symbols: [x, "#main/c/y"]}}
  d: pair
  e: string[][]
outputs: []
requirements:
  SchemaDefRequirement:
    types: [{name: pair, type: record, fields: {left: int, right: {type: string, doc: words}}}]
`),
  );
  assert.deepEqual(
    process.inputs.map(({ type }) => type),
    [
      { type: 'union', of: ['null', { type: 'array', items: 'File' }] },
      { type: 'union', of: ['null', { type: 'array', items: 'int' }] },
      { type: 'enum', symbols: ['x', 'y'] },
      {
        type: 'record',
        name: 'pair',
        fields: [
          { name: 'left', type: 'int' },
          { name: 'right', type: 'string', doc: 'words' },
        ],
      },
      { type: 'array', items: { type: 'array', items: 'string' } },
    ],
  );
});

test('secondary files, formats and default files are written out', async () => {
  const { process, folder } = await load(
    tool(`inputs:
  a:
    type: File
    format: edam:format_1929
    secondaryFiles: [.fai, ^.dict?]
    default: {class: File, location: ref.fa}
outputs: []
$namespaces: {edam: "http://edamontology.org/"}
`),
  );
  assert.deepEqual(process.inputs[0]?.secondaryFiles, [
    { pattern: '.fai' },
    { pattern: '^.dict', required: false },
  ]);
  assert.deepEqual(process.inputs[0]?.format, ['http://edamontology.org/format_1929']);
  assert.deepEqual(process.inputs[0]?.default, { class: 'File', location: `file://${folder}/ref.fa` });
});

test('a workflow is checked as a whole: types, missing inputs, unknown outputs, circles of steps', async () => {
  const problems = await loadProblems(`cwlVersion: v1.2
class: Workflow
inputs: {text: string}
outputs:
  out: {type: int, outputSource: one/out}
steps:
  one:
    in: {file: text}
    out: [out, more]
    run: &tool {class: CommandLineTool, inputs: {file: File, other: int}, outputs: {out: File}, baseCommand: echo}
  two: {in: {file: three/out}, out: [out], run: &loop {class: CommandLineTool, inputs: {file: File}, outputs: {out: File}, baseCommand: a}}
  three: {in: {file: two/out}, out: [out], run: *loop}
`);
  assert.deepEqual(problems, [
    '7:3 CWL_STEP_OUTPUT',
    '8:10 CWL_LINK_TYPE',
    '7:3 CWL_STEP_INPUT',
    '5:3 CWL_LINK_TYPE',
    '11:3 CWL_STEP_CYCLE',
  ]);
});

test('extension fields and metadata are allowed where they have a prefix', async () => {
  const { warnings } = await load(
    tool(
      'inputs: []\noutputs: []\ns:author: {s:name: me}\n$namespaces: {s: "https://schema.org/"}\n$schemas: [nowhere.owl]\n',
    ),
  );
  assert.deepEqual(warnings, []);
});

test('a document that cannot be read is named with the place that refers to it', async () => {
  const error = await failure(
    load(
      'cwlVersion: v1.2\nclass: Workflow\ninputs: []\noutputs: []\nsteps: {a: {in: [], out: [], run: gone.cwl}}\n',
    ),
  );
  assert.equal(error.code, 'CWL_NOT_READABLE');
  assert.match(formatError(error), /main\.cwl:5:\d+: cannot read .*gone\.cwl: there is no such file/);
  assert.ok((await failure(load({ 'other.cwl': '' }))) instanceof VarveError);
});

test('expressions that never close are found while loading, and scripts that are no JavaScript when asked for', async () => {
  const text = tool(
    `requirements: {InlineJavascriptRequirement: {}}
inputs: []
outputs: []
arguments:
  - $(inputs.a
  - valueFrom: $(1 +)
stdout: "\${ return 'a'; }"
`,
  );
  const folder = await writeFiles({ 'main.cwl': text });
  const error = await failure(loadDocument(urlOfArgument('main.cwl', folder), { checkScripts: true }));
  assert.deepEqual(
    error.problems.map(({ place, code }) => `${place?.line}:${place?.column} ${code}`),
    ['8:5 CWL_EXPRESSION', '9:16 CWL_EXPRESSION'],
  );
});

test('brackets and quotes with lines that are indented too little are read, and places stay right', async () => {
  const { process } = await load(`cwlVersion: v1.2
class: CommandLineTool
baseCommand: [
echo, # words
"a
b"
]
arguments:
  - valueFrom: 'one
two'
inputs: []
outputs: []
`);
  assert.deepEqual((process as CommandLineTool).baseCommand, ['echo', 'a b']);
  assert.deepEqual((process as CommandLineTool).arguments, [{ valueFrom: 'one two' }]);
  const problems = await loadProblems(
    'cwlVersion: v1.2\nclass: CommandLineTool\nx:\n  baseCommand: [\na\n]\ninputs: {}\noutputs: {}\nwrong: 1\n',
  );
  assert.deepEqual(problems, ['3:1 CWL_UNKNOWN_FIELD', '9:1 CWL_UNKNOWN_FIELD']);
});

test('paths become file URLs and come back, whatever is in them', () => {
  for (const path of ['/a', '/a/b.c-d_e', '/a b/%41', '/a/#b?', '/ä/:x', '/a/.b/..c', '/.a']) {
    assert.equal(urlOfPath(path), pathToFileURL(path).href);
    assert.equal(pathOfUrl(urlOfPath(path)), path);
  }
  assert.equal(urlOfPath('/a/./b/../c'), 'file:///a/c');
  assert.equal(pathOfUrl('file:/a/b'), '/a/b');
  assert.equal(pathOfUrl('file://localhost/a/b'), '/a/b');
  assert.equal(pathOfUrl('file:///a/../b#c'), '/b');
  assert.equal(pathOfUrl('file://elsewhere/a'), undefined);
});
