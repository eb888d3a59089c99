import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { parse } from 'yaml';
import {
  loadJob,
  makeTemplate,
  outputText,
  parseInputFlags,
  printDeps,
  toolHelp,
  urlOfArgument,
} from '../../src/languages/cwl/index.ts';
import { failure, load, writeFiles } from './documents.ts';

const document = `cwlVersion: v1.2
class: CommandLineTool
label: Counts things
doc: Counts the things in files.
baseCommand: count
inputs:
  files: {type: 'File[]', doc: What to count}
  threads: {type: int, default: 4}
  verbose: boolean?
  mode: {type: {type: enum, symbols: [fast, slow]}}
  pair: {type: {type: record, fields: {left: string, right: 'double?'}}}
outputs: {count: int}
`;

test('flags are read by the types of the inputs', async () => {
  const { process } = await load(document);
  const args = [
    '--files',
    'a.txt',
    '--files=/b.txt',
    '--threads',
    '8',
    '--verbose',
    '--mode',
    'fast',
    '--pair.left',
    'x',
    '--pair.right',
    '1.5',
  ];
  assert.deepEqual(parseInputFlags(process, args, '/home'), {
    help: false,
    job: {
      files: [
        { class: 'File', location: 'file:///home/a.txt' },
        { class: 'File', location: 'file:///b.txt' },
      ],
      threads: 8,
      verbose: true,
      mode: 'fast',
      pair: { left: 'x', right: 1.5 },
    },
    jobFile: undefined,
  });
  assert.equal(parseInputFlags(process, ['--verbose', 'job.yml'], '/').jobFile, 'job.yml');
  assert.deepEqual(parseInputFlags(process, ['--no-verbose'], '/').job, { verbose: false });
  assert.equal(parseInputFlags(process, ['--help'], '/').help, true);
});

test('flags that cannot be understood say why', async () => {
  const { process } = await load(document);
  const message = (...args: string[]) => failure((async () => parseInputFlags(process, args, '/'))());
  assert.match((await message('--thread', '1')).hint ?? '', /did you mean "threads"/);
  assert.match((await message('--threads', 'many')).message, /"many" is not int/);
  assert.match((await message('--threads')).message, /needs a value \(int\)/);
  assert.match((await message('--mode', 'medium')).message, /is not enum fast\|slow/);
  assert.match((await message('one.yml', 'two.yml')).message, /"two.yml" is not a flag/);
});

test('a template is YAML with an example for every input, and says what is optional', async () => {
  const { process } = await load(document);
  const text = makeTemplate(process);
  assert.deepEqual(parse(text), {
    files: [{ class: 'File', path: 'a/file/path' }],
    threads: 4,
    verbose: false,
    mode: 'fast',
    pair: { left: 'a_string', right: 0.1 },
  });
  assert.match(text, /# What to count\n"files"/);
  assert.match(text, /"verbose".*optional/);
});

test('help comes from the documentation of the tool', async () => {
  const { process } = await load(document);
  const help = toolHelp(process, 'varve run main.cwl');
  assert.match(help, /^usage: varve run main\.cwl \[--help\] --files FILES \[--threads THREADS\]/);
  assert.match(help, /Counts the things in files\./);
  assert.match(help, /--threads {2}\(int, default: 4\)/);
  assert.match(help, /outputs:\n {2}count {2}\(int\)/);
});

test('dependencies are the documents, texts and files that a document names', async () => {
  const loaded = await load({
    'main.cwl': `cwlVersion: v1.2
class: Workflow
inputs: {f: {type: File, default: {class: File, location: data/x.txt}}}
outputs: []
steps: {s: {in: {f: f}, out: [], run: tools/t.cwl}}
`,
    'tools/t.cwl':
      'cwlVersion: v1.2\nclass: CommandLineTool\nbaseCommand: [a, {$include: t.sh}]\ninputs: {f: File}\noutputs: []\n',
    'tools/t.sh': 'echo',
  });
  const { location, secondaryFiles } = printDeps(loaded) as {
    location: string;
    secondaryFiles: { location: string }[];
  };
  assert.equal(location, 'main.cwl');
  assert.deepEqual(secondaryFiles.map((one) => one.location).sort(), [
    'data/x.txt',
    'tools/t.cwl',
    'tools/t.sh',
  ]);
});

test('an input object gives absolute files, requirements, and the place of each input', async () => {
  const folder = await writeFiles({
    'jobs/job.yml': `a: {class: File, path: "item #1.txt"}
b: {class: File, location: "item%20%232.txt", format: e:x}
cwl:requirements: [{class: EnvVarRequirement, envDef: {A: b}}]
cwl:tool: ../main.cwl
$namespaces: {e: "http://e.org/"}
`,
  });
  const job = await loadJob(urlOfArgument('jobs/job.yml', folder));
  assert.deepEqual(job.job, {
    a: { class: 'File', location: `file://${folder}/jobs/item%20%231.txt` },
    b: { class: 'File', location: `file://${folder}/jobs/item%20%232.txt`, format: 'http://e.org/x' },
  });
  assert.deepEqual(job.requirements, [
    { class: 'EnvVarRequirement', envDef: [{ envName: 'A', envValue: 'b' }] },
  ]);
  assert.equal(job.tool, `file://${folder}/main.cwl`);
  assert.deepEqual(job.placeOfInput('b'), { file: join(folder, 'jobs/job.yml'), line: 2, column: 1 });
  const moved = await loadJob(urlOfArgument('jobs/job.yml', folder), { baseUrl: 'file:///elsewhere/' });
  assert.equal((moved.job.b as { location: string }).location, 'file:///elsewhere/item%20%232.txt');
});

test('output text is JSON with decimals, however large or small', () => {
  const text = outputText({ big: 4.2e42, small: 1e-7, list: [1, 'a"b', null], none: {}, empty: [] });
  assert.match(text, /"big": 42000/);
  assert.match(text, /"small": 0\.0000001/);
  assert.deepEqual(JSON.parse(text), {
    big: 4.2e42,
    small: 1e-7,
    list: [1, 'a"b', null],
    none: {},
    empty: [],
  });
});
