import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json, JsonObject } from '../../src/core/json.ts';
import { createEvaluator } from '../../src/languages/cwl/expressions/evaluator.ts';
import type { CommandLineTool } from '../../src/languages/cwl/model/process.ts';
import { nestRequirements, noRequirements } from '../../src/languages/cwl/model/requirement.ts';
import { type Invocation, planInvocation } from '../../src/languages/cwl/tool/invocation.ts';
import { shellQuote } from '../../src/languages/cwl/tool/shell-quote.ts';
import { prepareJob } from '../../src/languages/cwl/values/prepare-job.ts';
import { failure, load, writeFiles } from './documents.ts';

const places = { outdir: '/out', tmpdir: '/tmp/t', inputs: '/in' };

async function plan(rest: string, job: JsonObject = {}, version = 'v1.2'): Promise<Invocation> {
  const { process } = await load(`cwlVersion: ${version}\nclass: CommandLineTool\n${rest}`);
  const tool = process as CommandLineTool;
  const requirements = nestRequirements(noRequirements, tool);
  const evaluator = await createEvaluator(tool.cwlVersion, requirements, [tool as unknown as Json]);
  const prepared = await prepareJob(tool, job, { evaluator, requirements, discover: true });
  return planInvocation(tool, prepared, {
    evaluator,
    requirements,
    places,
    path: '/bin',
    inRequiredContainer: false,
  });
}

test('bindings are sorted by position, then by argument index or input name', async () => {
  const { argv } = await plan(
    `baseCommand: [prog, sub]
arguments: [first, {valueFrom: last, position: 9}, {valueFrom: $(runtime.cores), prefix: -c}]
inputs:
  b: {type: string, inputBinding: {position: 1}}
  a: {type: string, inputBinding: {position: 1, prefix: --a, separate: false}}
  zero: {type: string, inputBinding: {}}
  unbound: string
outputs: []
`,
    { a: 'A', b: 'B', zero: 'Z', unbound: 'no' },
  );
  assert.deepEqual(argv, ['prog', 'sub', 'first', '-c', '1', 'Z', '--aA', 'B', 'last']);
});

test('each type of value becomes words in its own way', async () => {
  const { argv } = await plan(
    `baseCommand: p
inputs:
  flag: {type: boolean, inputBinding: {position: 1, prefix: -f}}
  off: {type: boolean, inputBinding: {position: 1, prefix: -x}}
  number: {type: double, inputBinding: {position: 2, prefix: -n}}
  joined: {type: 'int[]', inputBinding: {position: 3, prefix: -j, itemSeparator: ','}}
  each: {type: {type: array, items: string, inputBinding: {prefix: -e}}, inputBinding: {position: 4}}
  plain: {type: 'string[]', inputBinding: {position: 5, prefix: -p}}
  none: {type: 'string[]', inputBinding: {position: 6, prefix: -q}}
  nothing: {type: string?, inputBinding: {position: 7, prefix: -r}}
  record:
    inputBinding: {position: 8, prefix: -R}
    type: {type: record, fields: {y: {type: int, inputBinding: {position: 2, prefix: -y}}, x: {type: int, inputBinding: {position: 1, prefix: -x}}}}
outputs: []
`,
    {
      flag: true,
      off: false,
      number: 0.00001,
      joined: [1, 2],
      each: ['a', 'b'],
      plain: ['c', 'd'],
      none: [],
      record: { x: 1, y: 2 },
    },
  );
  const words = '-f -n 0.00001 -j 1,2 -e a -e b -p c d -R -x 1 -y 2';
  assert.deepEqual(argv, ['p', ...words.split(' ')]);
});

test('valueFrom takes the place of the value, and is ignored when the input is null', async () => {
  const text = `requirements: {InlineJavascriptRequirement: {}}
baseCommand: p
inputs: {a: {type: 'int?', inputBinding: {valueFrom: $(self + 1)}}, pos: {type: int, default: 3, inputBinding: {position: $(self)}}}
outputs: []
`;
  assert.deepEqual((await plan(text, { a: 1 })).argv, ['p', '2', '3']);
  assert.deepEqual((await plan(text)).argv, ['p', '3']);
});

test('a shell command is quoted word by word, except where the document says otherwise', async () => {
  const { argv } = await plan(`requirements: {ShellCommandRequirement: {}}
baseCommand: [echo, "a b"]
arguments: ["it's", {valueFrom: "| cat", shellQuote: false}]
inputs: []
outputs: []
`);
  assert.deepEqual(argv, ['/bin/sh', '-c', `echo 'a b' 'it'"'"'s' | cat`]);
  assert.equal(shellQuote(''), "''");
});

test('inputs are staged in folders of their own, secondary files beside them', async () => {
  const folder = await writeFiles({ 'x/a.bam': '', 'x/a.bam.bai': '', 'y/a.bam': '' });
  const { argv, stage } = await plan(
    `baseCommand: p
inputs: {one: {type: File, secondaryFiles: .bai, inputBinding: {position: 1}}, two: {type: File, inputBinding: {position: 2}}, lit: {type: File, inputBinding: {position: 3}}}
outputs: []
`,
    {
      one: { class: 'File', location: `file://${folder}/x/a.bam` },
      two: { class: 'File', location: `file://${folder}/y/a.bam` },
      lit: { class: 'File', basename: 'n.txt', contents: 'hello' },
    },
  );
  assert.deepEqual(argv, ['p', '/in/1/a.bam', '/in/2/a.bam', '/in/3/n.txt']);
  assert.deepEqual(stage, [
    { kind: 'link', source: `${folder}/x/a.bam`, target: '/in/1/a.bam', directory: false },
    { kind: 'link', source: `${folder}/x/a.bam.bai`, target: '/in/1/a.bam.bai', directory: false },
    { kind: 'link', source: `${folder}/y/a.bam`, target: '/in/2/a.bam', directory: false },
    { kind: 'write', contents: 'hello', target: '/in/3/n.txt', writable: false },
  ]);
});

test('the initial working directory holds texts, files and directories, and moves the paths of inputs', async () => {
  const folder = await writeFiles({ 'a.txt': '', 'd/x': '' });
  const { argv, stage } = await plan(
    `requirements:
  InitialWorkDirRequirement:
    listing:
      - {entryname: conf.json, entry: $(inputs.options)}
      - {entryname: "sub/note", entry: "n=$(inputs.options.n)\\n"}
      - {entry: $(inputs.file), entryname: renamed.txt, writable: true}
      - $(inputs.dir)
      - {entryname: d/more, entry: inside}
      - $(inputs.missing)
baseCommand: [p, $(inputs.file.path)]
arguments: [$(inputs.file.path), $(inputs.dir.path)]
inputs: {options: Any, file: File, dir: Directory, missing: File?}
outputs: []
`,
    {
      options: { n: 1 },
      file: { class: 'File', location: `file://${folder}/a.txt` },
      dir: { class: 'Directory', location: `file://${folder}/d` },
    },
  );
  assert.deepEqual(argv.slice(2), ['/out/renamed.txt', '/out/d']);
  assert.deepEqual(stage, [
    { kind: 'write', contents: '{"n": 1}', target: '/out/conf.json', writable: false },
    { kind: 'write', contents: 'n=1\n', target: '/out/sub/note', writable: false },
    { kind: 'copy', source: `${folder}/a.txt`, target: '/out/renamed.txt', directory: false },
    { kind: 'directory', target: '/out/d' },
    { kind: 'link', source: `${folder}/d/x`, target: '/out/d/x', directory: false },
    { kind: 'write', contents: 'inside', target: '/out/d/more', writable: false },
  ]);
});

test('names that lead out of the output directory, and two files under one name, are refused', async () => {
  const listing = (entries: string) => `requirements: {InitialWorkDirRequirement: {listing: ${entries}}}
baseCommand: p
inputs: []
outputs: []
`;
  for (const entries of [
    '[{entryname: ../x, entry: a}]',
    '[{entryname: /etc/x, entry: a}]',
    '[{entryname: x, entry: a}, {entryname: x, entry: b}]',
    '[{entry: no name}]',
  ])
    assert.equal((await failure(plan(listing(entries)))).code, 'CWL_STAGING', entries);
  assert.equal(
    (await failure(plan('baseCommand: p\nstdout: ../x\ninputs: []\noutputs: []\n'))).code,
    'CWL_STAGING',
  );
});

test('the environment is what the standard and the document say, and nothing else', async () => {
  const { env, stdout, stdin } = await plan(
    `requirements: {EnvVarRequirement: {envDef: {GREETING: "hi $(inputs.name)"}}}
baseCommand: p
stdin: $(inputs.file.path)
stdout: $(inputs.name).txt
inputs: {name: string, file: File}
outputs: []
`,
    { name: 'you', file: { class: 'File', basename: 'i', contents: '' } },
  );
  assert.deepEqual(env, { HOME: '/out', TMPDIR: '/tmp/t', PATH: '/bin', GREETING: 'hi you' });
  assert.equal(stdout, 'you.txt');
  assert.equal(stdin, '/in/1/i');
});

test('resources and limits are evaluated, rounded up and checked', async () => {
  const tool = (requirement: string) =>
    `requirements: {${requirement}}\nbaseCommand: p\ninputs: {n: {type: int, default: 2}}\noutputs: []\n`;
  const asked = await plan(
    tool(
      'ResourceRequirement: {coresMin: 1.5, ramMin: $(inputs.n), outdirMax: 10}, ToolTimeLimit: {timelimit: $(inputs.n)}',
    ),
  );
  assert.deepEqual(asked.resources, { cores: 2, ram: 2, tmpdirSize: 1024, outdirSize: 10 });
  assert.equal(asked.timeLimitSeconds, 2);
  assert.equal((await plan(tool('ToolTimeLimit: {timelimit: 0}'))).timeLimitSeconds, undefined);
  assert.equal((await plan(tool(''), {}, 'v1.0')).resources.ram, 1024);
  assert.equal(
    (await failure(plan(tool('ResourceRequirement: {coresMin: 4, coresMax: 2}')))).code,
    'CWL_RESOURCES',
  );
  assert.equal((await plan(tool(''))).networkAccess, false);
  assert.equal((await plan(tool(''), {}, 'v1.0')).networkAccess, true);
});
