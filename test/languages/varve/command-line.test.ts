import assert from 'node:assert/strict';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { Json } from '../../../src/core/json.ts';
import type { PrepareContext } from '../../../src/core/ports/action-type.ts';
import { commandLineAction } from '../../../src/languages/varve/command-line.ts';
import { digestFiles } from '../../../src/languages/varve/digest-files.ts';
import { loadVarveWorkflow } from '../../../src/languages/varve/load-workflow.ts';
import { attemptSpace, execute, type RanWorkflow, runWorkflow, temporaryFolder } from './run-document.ts';

interface World {
  readonly folder: string;
  run(text: string, parameters?: Record<string, Json>): Promise<RanWorkflow>;
}

async function world(t: TestContext, files: Readonly<Record<string, string>> = {}): Promise<World> {
  const folder = await temporaryFolder(t);
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(join(folder, name, '..'), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  return {
    folder,
    async run(text, parameters = {}) {
      const workflow = await loadVarveWorkflow({ path: join(folder, 'flow.yaml'), text }, { parameters });
      return runWorkflow(workflow, join(folder, '.run'));
    },
  };
}

function fileOf(ran: RanWorkflow, key: string, name: string): string {
  assert.deepEqual([...ran.failures], []);
  return readFileSync(join(ran.datasets.get(key)!.path, name), 'utf8');
}

test('a shell command writes to VARVE_OUTPUT and reads its parents from VARVE_INPUT_<id>', async (t) => {
  const { run } = await world(t);
  const ran = await run(`name: x
actions:
  - { id: 1, command: 'echo one > "$VARVE_OUTPUT/a.txt"' }
  - { id: split, command: 'echo two > "$VARVE_OUTPUT/b.txt"' }
  - id: 3
    command: 'cat "$VARVE_INPUT_1/a.txt" "$VARVE_INPUT_split/b.txt" "$VARVE_INPUT_SPLIT/b.txt" > "$VARVE_OUTPUT/c.txt"'
    parentActions: [{ id: 1 }, split]
`);
  assert.equal(fileOf(ran, '3', 'c.txt'), 'one\ntwo\ntwo\n');
  assert.deepEqual(ran.datasets.get('3')!.value, { outputs: {}, exitCode: 0 });
});

test('nothing of the caller is in the environment: only what is declared and documented', async (t) => {
  process.env.VARVE_TEST_LEAK = 'leaked';
  t.after(() => delete process.env.VARVE_TEST_LEAK);
  const { run } = await world(t);
  const ran = await run(`name: x
defaults: { env: { SHARED: all, MINE: no } }
actions:
  - { id: 1, command: [/usr/bin/env], stdout: env.txt, resources: { cores: 2, memory: 1GiB }, inputs: { n: 5 },
      outputs: { all: env.txt }, env: { MINE: "\${inputs.n}-\${resources.cores}", T: true },
      additionalInput: [{ value: a b }], configurationParameters: [{ key: mode, value: fast }] }
`);
  const lines = fileOf(ran, '1', 'env.txt').trimEnd().split('\n').sort();
  const { path } = ran.datasets.get('1')!;
  const work = join(path, '..', 'work');
  assert.deepEqual(lines, [
    `HOME=${work}`,
    'LANG=C.UTF-8',
    'MINE=5-2',
    'PATH=/usr/local/bin:/usr/bin:/bin',
    'SHARED=all',
    'T=true',
    `TMPDIR=${work}`,
    'VARVE_ADDITIONAL_INPUT_1=a b',
    'VARVE_CONFIGURATION_MODE=fast',
    'VARVE_CORES=2',
    'VARVE_INPUT_N=5',
    'VARVE_INPUT_n=5',
    'VARVE_MEMORY=1073741824',
    `VARVE_OUTPUT=${path}`,
    `VARVE_OUTPUT_ALL=${path}/env.txt`,
    `VARVE_OUTPUT_all=${path}/env.txt`,
  ]);
});

test('values reach a shell unharmed, whatever they contain', async (t) => {
  const { run } = await world(t);
  const evil = '$(touch hacked) `id` "; rm -rf / #\' \n${x}';
  const ran = await run(
    `name: x
params: { evil: "" }
actions: [{ id: 1, command: 'printf %s "$VARVE_INPUT_E" > "$VARVE_OUTPUT/e"', inputs: { e: "\${params.evil}" } }]
`,
    { evil },
  );
  assert.equal(fileOf(ran, '1', 'e'), evil);
});

test('a command list is executed without a shell, with references and spread lists as words', async (t) => {
  const { run, folder } = await world(t, { 'data/in put.txt': 'x' });
  const ran = await run(`name: x
actions:
  - id: 1
    command: [printf, '%s|', "\${inputs.f}", "a b;*", "\${inputs.l[*]}", "\${inputs.fs[*]}", "\${output}"]
    inputs: { f: { file: data/in put.txt }, l: [1, two], fs: [{ file: data/in put.txt }] }
    stdout: logs/words
`);
  const path = join(folder, 'data/in put.txt');
  const { path: out } = ran.datasets.get('1')!;
  assert.equal(fileOf(ran, '1', 'logs/words'), `${path}|a b;*|1|two|${path}|${out}|`);
});

test('stdin comes from a file, a value or the output of a parent', async (t) => {
  const { run } = await world(t, { 'in.txt': 'from file' });
  const ran = await run(`name: x
actions:
  - { id: file, command: [cat], stdin: { file: in.txt }, stdout: o, outputs: { o: o } }
  - { id: value, command: [cat], stdin: v, inputs: { v: from value }, stdout: o }
  - { id: parent, command: [cat], stdin: v, inputs: { v: { from: file, output: o } }, stdout: o }
  - { id: none, command: [cat], stdout: o }
`);
  const read = ['file', 'value', 'parent', 'none'].map((key) => fileOf(ran, key, 'o'));
  assert.deepEqual(read, ['from file', 'from value', 'from file', '']);
});

test('named outputs are paths or globs, may use inputs, and are given to children as files', async (t) => {
  const { run } = await world(t);
  const ran = await run(`name: x
actions:
  - id: make
    command: 'mkdir "$VARVE_OUTPUT/p"; for i in c a b; do echo $i > "$VARVE_OUTPUT/p/$i.csv"; done; echo 7 > "$VARVE_OUTPUT_N"'
    inputs: { who: ada* }
    outputs: { parts: 'p/*.csv', n: "n-\${inputs.who}.txt", folder: p }
  - id: use
    command: 'cat "$VARVE_INPUT_PARTS"/* "$VARVE_INPUT_F/a.csv" > "$VARVE_OUTPUT/all"; ls "$VARVE_INPUT_PARTS" > "$VARVE_OUTPUT/names"; echo "$VARVE_INPUT_N" >> "$VARVE_OUTPUT/all"'
    inputs: { parts: { from: make, output: parts }, f: { from: make, output: folder }, n: { from: make, output: n, as: number } }
`);
  assert.equal(fileOf(ran, 'use', 'all'), 'a\nb\nc\na\n7\n');
  assert.equal(fileOf(ran, 'use', 'names'), '00000.csv\n00001.csv\n00002.csv\n');
  assert.deepEqual(ran.datasets.get('make')!.value, {
    exitCode: 0,
    outputs: { folder: 'p', n: 'n-ada*.txt', parts: ['p/a.csv', 'p/b.csv', 'p/c.csv'] },
  });
});

test('a missing output, a bad exit code and a signal are failures that explain themselves', async (t) => {
  const { run } = await world(t);
  const ran = await run(`name: x
actions:
  - { id: missing, command: 'true', outputs: { t: t.csv } }
  - { id: glob, command: 'true', outputs: { t: "*.csv" } }
  - { id: code, command: 'echo first >&2; echo "no such gene" >&2; exit 3' }
  - { id: signal, command: 'kill -9 $$' }
  - { id: allowed, command: 'exit 3', successCodes: [0, 3] }
`);
  assert.deepEqual(
    Object.fromEntries([...ran.failures].map(([key, { code, retryable }]) => [key, [code, retryable]])),
    {
      missing: ['OUTPUT_MISSING', false],
      glob: ['OUTPUT_MISSING', false],
      code: ['COMMAND_FAILED', true],
      signal: ['COMMAND_FAILED', true],
    },
  );
  assert.match(ran.failures.get('missing')!.message, /"t" is missing: nothing at t\.csv/);
  assert.equal(ran.failures.get('code')!.message, 'the command ended with exit code 3: no such gene');
  assert.equal(ran.failures.get('signal')!.message, 'the command was ended by SIGKILL');
  assert.deepEqual(ran.datasets.get('allowed')!.value, { outputs: {}, exitCode: 3 });
});

test('program files beside the document are found, linked and run, from lists and from shell commands', async (t) => {
  const { run, folder } = await world(t, {
    'tools/hello.sh': '#!/bin/sh\necho hello $1 $(cat lib/words.txt)\n',
    'lib/words.txt': 'words',
    'data.txt': 'data\n',
  });
  chmodSync(join(folder, 'tools/hello.sh'), 0o755);
  const ran = await run(`name: x
actions:
  - { id: list, command: [./tools/hello.sh, a], stdout: o, programs: [lib] }
  - { id: shell, command: 'sh tools/hello.sh b > "$VARVE_OUTPUT/o"; cat data.txt >> "$VARVE_OUTPUT/o"', programs: [lib/words.txt] }
`);
  assert.equal(fileOf(ran, 'list', 'o'), 'hello a words\n');
  assert.equal(fileOf(ran, 'shell', 'o'), 'hello b words\ndata\n');
  const work = join(ran.datasets.get('shell')!.path, '..', 'work');
  assert.deepEqual(readdirSync(work).sort(), ['data.txt', 'lib', 'tools']);
  assert.equal(readlinkSync(join(work, 'tools/hello.sh')), join(folder, 'tools/hello.sh'));
});

test('an address is fetched at submission and keeps its own name, wherever the download lies', async (t) => {
  const { folder } = await world(t, { 'cache/0123abc': 'fetched' });
  const url = 'https://example.org/data/genes%20x.tar.gz?version=2';
  const text = `name: x
actions: [{ id: 1, command: [cat, "\${inputs.g}"], inputs: { g: { url: "${url}" }, l: [{ url: "${url}" }] }, stdout: o }]
`;
  const source = { path: join(folder, 'flow.yaml'), text };
  await assert.rejects(loadVarveWorkflow(source), { code: 'WORKFLOW_UNSUPPORTED' });
  const path = join(folder, 'cache/0123abc');
  const fetchUrls = async (urls: readonly string[]) => {
    const digest = (await digestFiles([path])).get(path)!;
    return new Map(urls.map((one) => [one, { ...digest, path }]));
  };
  const workflow = await loadVarveWorkflow(source, { fetchUrls });
  const ran = await runWorkflow(workflow, folder);
  assert.equal(fileOf(ran, '1', 'o'), 'fetched');
  const work = join(ran.datasets.get('1')!.path, '..', 'work');
  assert.equal(readlinkSync(join(work, '.inputs/g/genes_20x.tar.gz')), path);
  assert.equal(readlinkSync(join(work, '.inputs/l/0/genes_20x.tar.gz')), path);
  const offline = async (urls: readonly string[]) =>
    new Map(urls.map((one) => [one, { failure: 'no route' }]));
  await assert.rejects(loadVarveWorkflow(source, { fetchUrls: offline }), { code: 'WORKFLOW_INVALID' });
});

test('a file that changed after submission stops the action instead of giving a dataset under a false name', async (t) => {
  const { folder } = await world(t, { 'in.txt': 'old' });
  const text = 'name: x\nactions: [{ id: 1, command: [cat], inputs: { f: { file: in.txt } } }]\n';
  const workflow = await loadVarveWorkflow({ path: join(folder, 'flow.yaml'), text });
  writeFileSync(join(folder, 'in.txt'), 'new');
  utimesSync(join(folder, 'in.txt'), 1, 1);
  await assert.rejects(runWorkflow(workflow, folder), { code: 'INPUT_CHANGED' });
});

test('preparing a plain action touches no file, and preparing twice is as good as once', async (t) => {
  const { folder } = await world(t);
  const text = 'name: x\nactions: [{ id: 1, command: echo, priority: 3, timeout: 10m, inputs: { n: 1 } }]\n';
  const { nodes } = await loadVarveWorkflow({ path: join(folder, 'flow.yaml'), text });
  const directory = join(folder, 'never-made');
  const space = {
    directory,
    work: join(directory, 'work'),
    out: join(directory, 'out'),
    logs: join(directory, 'logs'),
    control: '',
  };
  const context: PrepareContext = { node: nodes[0]!, inputs: [], space, key: 'k' };
  const job = (await commandLineAction().prepare(context))!;
  assert.deepEqual(job.argv, ['/bin/sh', '-c', 'echo']);
  assert.equal(job.stdout, join(directory, 'logs', 'stdout'));
  assert.equal(job.timeoutMs, 600_000);
  assert.equal(job.priority, 3);
  assert.deepEqual(await commandLineAction().prepare(context), job);
  assert.equal(existsSync(directory), false);
});

test('an input that would leave the output directory through a path is refused', async (t) => {
  const { run } = await world(t);
  const text =
    'name: x\nactions: [{ id: 1, command: [echo], inputs: { p: ../../x }, stdout: "${inputs.p}" }]\n';
  await assert.rejects(run(text), { code: 'OUTPUT_PATH' });
});

test('a value too long for an environment variable is refused in words', async (t) => {
  const { run } = await world(t);
  const text =
    'name: x\nparams: { v: "" }\nactions: [{ id: 1, command: echo, inputs: { v: "${params.v}" } }]\n';
  await assert.rejects(run(text, { v: 'x'.repeat(140_000) }), {
    code: 'INPUT_VALUE',
    message: /too long for an environment variable/,
  });
});

test('a container without an engine is unsupported, at submission and when it runs', async (t) => {
  const { folder } = await world(t);
  const source = {
    path: join(folder, 'flow.yaml'),
    text: 'name: x\nactions: [{ id: 1, command: [id], container: debian:12 }]\n',
  };
  await assert.rejects(loadVarveWorkflow(source, { containerEngine: async () => undefined }), {
    code: 'WORKFLOW_UNSUPPORTED',
  });
  const { nodes } = await loadVarveWorkflow(source);
  const space = attemptSpace(folder, 'k');
  await assert.rejects(commandLineAction().prepare({ node: nodes[0]!, inputs: [], space, key: 'k' }), {
    code: 'CONTAINER_ENGINE_MISSING',
    kind: 'unsupported',
  });
  const types = commandLineAction({
    containerEngine: async () => 'podman',
    engineArguments: { podman: ['--runtime', 'runc'] },
  });
  const job = (await types.prepare({ node: nodes[0]!, inputs: [], space, key: 'k' }))!;
  assert.deepEqual(job.argv.slice(0, 5), ['podman', 'run', '--rm', '--name', 'varve-k']);
  assert.deepEqual(job.argv.slice(-5), ['--runtime', 'runc', '--entrypoint', 'id', 'debian:12']);
  assert.deepEqual(Object.keys(job.env), ['PATH', 'HOME']);
});

test('a program that does not exist fails like any other command', async (t) => {
  const { folder } = await world(t);
  const text = 'name: x\nactions: [{ id: 1, command: "no-such-program" }]\n';
  const { nodes } = await loadVarveWorkflow({ path: join(folder, 'flow.yaml'), text });
  const space = attemptSpace(folder, 'k');
  const context = { node: nodes[0]!, inputs: [], space, key: 'k' };
  const type = commandLineAction();
  const collected = await type.collect({
    ...context,
    outcome: await execute((await type.prepare(context))!),
  });
  assert.match('failure' in collected ? collected.failure.message : '', /exit code 127: .*not found/);
});
