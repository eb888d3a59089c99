// CWL documents as a user runs them with `varve run` and `cwl-runner`: real processes, real files, a store of their own.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Home } from './home.ts';

const echo = `#!/usr/bin/env cwl-runner
cwlVersion: v1.2
class: CommandLineTool
doc: Says something.
baseCommand: echo
inputs:
  message: {type: string, doc: what to say, inputBinding: {position: 1}}
  times: {type: int?, inputBinding: {position: 2}}
outputs: {said: stdout}
stdout: said.txt
`;

/** Notes each time that it runs, so that reuse shows. */
const shout = (log: string): string => `cwlVersion: v1.2
class: Workflow
requirements: {ScatterFeatureRequirement: {}, StepInputExpressionRequirement: {}}
inputs: {words: 'string[]'}
outputs:
  all: {type: File, outputSource: join/out}
steps:
  shout:
    scatter: word
    in: {word: words}
    out: [out]
    run:
      class: CommandLineTool
      requirements: {ShellCommandRequirement: {}}
      inputs: {word: string}
      outputs: {out: stdout}
      stdout: $(inputs.word).txt
      arguments: [{valueFrom: "echo $(inputs.word) >> ${log}; echo $(inputs.word)!", shellQuote: false}]
  join:
    in: {files: shout/out}
    out: [out]
    run:
      class: CommandLineTool
      baseCommand: cat
      inputs: {files: {type: 'File[]', inputBinding: {}}}
      outputs: {out: stdout}
      stdout: all.txt
`;

const lines = (file: string): string[] =>
  existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];

test('a tool with flags as inputs: the output object on stdout, everything else on stderr', (t) => {
  const home = new Home(t);
  home.write('echo.cwl', echo);
  const { status, stdout, stderr } = home.run('run', 'echo.cwl', '--message', 'hello', '--times', '-2');
  assert.equal(status, 0, stderr);
  const { said } = JSON.parse(stdout);
  assert.equal(said.path, join(home.folder, 'said.txt'));
  assert.equal(readFileSync(said.path, 'utf8'), 'hello -2\n');
  assert.match(stderr, /run 1 succeeded in .*: 1 computed/);
  const again = home.run('run', 'echo.cwl', '--quiet', '--outdir', 'results', '--input', 'message=hello -2');
  assert.equal(again.stderr, '');
  assert.equal(readFileSync(home.path('results/said.txt'), 'utf8'), 'hello -2\n');
});

test('an input object is read from a file, relative to itself or to --basedir, and may name the document', (t) => {
  const home = new Home(t);
  const cat =
    'cwlVersion: v1.2\nclass: CommandLineTool\nbaseCommand: cat\nstdin: $(inputs.f.path)\ninputs: {f: File}\noutputs: {out: stdout}\n';
  home.write('tools/cat.cwl', cat);
  home.write('data/in.txt', 'data');
  home.write('jobs/job.yml', 'f: {class: File, path: ../data/in.txt}\n');
  home.write('jobs/based.yml', 'f: {class: File, path: in.txt}\n');
  home.write('jobs/whole.yml', 'cwl:tool: ../tools/cat.cwl\nf: {class: File, path: ../data/in.txt}\n');
  const read = (...words: string[]): string => {
    const { status, stdout, stderr } = home.run('run', '--quiet', '--outdir', 'out', ...words);
    assert.equal(status, 0, stderr);
    return readFileSync(JSON.parse(stdout).out.path, 'utf8');
  };
  assert.equal(read('tools/cat.cwl', 'jobs/job.yml'), 'data');
  assert.equal(read('tools/cat.cwl', '--basedir', 'data', 'jobs/based.yml'), 'data');
  assert.equal(read('jobs/whole.yml'), 'data');
  assert.equal(read('tools/cat.cwl', '--f', 'data/in.txt'), 'data');
});

test('a workflow is planned, explained, computed once, and computed again where asked', (t) => {
  const home = new Home(t);
  const log = home.path('log');
  home.write('shout.cwl', shout(log));
  const job = home.write('job.json', { words: ['a', 'b'] });
  const plan = home.json('run', 'shout.cwl', job, '--dry-run');
  assert.deepEqual(
    plan.map((row: { action: string; plan: string }) => [row.action, row.plan]),
    [
      ['shout[0]', 'compute'],
      ['shout[1]', 'compute'],
      ['join', 'compute'],
      ['#outputs', 'compute'],
    ],
  );
  assert.equal(home.run('run', 'shout.cwl', job).status, 0);
  const again = home.run('run', 'shout.cwl', job);
  assert.match(again.stderr, /everything was reused/);
  assert.deepEqual(lines(log).sort(), ['a', 'b']);
  assert.equal(readFileSync(home.path('all.txt'), 'utf8'), 'a!\nb!\n');
  const [first] = home.json('why', '2', 'join');
  assert.equal(first.code, 'STORED');
  const rerun = home.run('rerun', '2', 'shout[1]', '--outdir', 'rerun');
  assert.equal(rerun.status, 0, rerun.stderr);
  assert.deepEqual(lines(log).sort(), ['a', 'b', 'b']);
  assert.equal(readFileSync(JSON.parse(rerun.stdout).all.path, 'utf8'), 'a!\nb!\n');
  assert.equal(home.run('run', 'shout.cwl', job, '--no-reuse').status, 0);
  assert.deepEqual(lines(log).sort(), ['a', 'a', 'b', 'b', 'b']);
});

test('a run that failed is retried from where it failed, and prints its outputs then', (t) => {
  const home = new Home(t);
  const log = home.path('log');
  home.write('flaky.cwl', shout(log).replace('baseCommand: cat', `baseCommand: [${home.path('tool')}]`));
  const job = home.write('job.json', { words: ['a'] });
  const failed = home.run('run', 'flaky.cwl', job);
  assert.equal(failed.status, 1);
  assert.equal(failed.stdout, '');
  assert.match(failed.stderr, /failed join/);
  home.write('tool', '#!/bin/sh\ncat "$@"\n');
  execFileSync('chmod', ['+x', home.path('tool')]);
  const retried = home.run('retry', '1', '--outdir', 'retried');
  assert.equal(retried.status, 0, retried.stderr);
  assert.equal(readFileSync(JSON.parse(retried.stdout).all.path, 'utf8'), 'a!\n');
  assert.deepEqual(lines(log), ['a']);
});

test('a run that is cancelled stops its tools and can be retried', async (t) => {
  const home = new Home(t);
  const slow = `cwlVersion: v1.2
class: CommandLineTool
requirements: {ShellCommandRequirement: {}}
inputs: []
outputs: {out: stdout}
arguments: [{valueFrom: "echo $$ > ${home.path('pid')}; test -e ${home.path('go')} || exec sleep 60", shellQuote: false}]
`;
  home.write('slow.cwl', slow);
  const { child, ended } = home.start('run', 'slow.cwl');
  while (lines(home.path('pid')).length === 0) await sleep(20);
  child.kill('SIGINT');
  const { status } = await ended;
  assert.equal(status, 130);
  assert.throws(() => process.kill(Number(lines(home.path('pid'))[0]), 0));
  home.write('go', '');
  assert.equal(home.run('retry', '1').status, 0);
});

test('a dataset that was deleted is restored from its provenance', (t) => {
  const home = new Home(t);
  const log = home.path('log');
  home.write('shout.cwl', shout(log));
  const job = home.write('job.json', { words: ['a'] });
  assert.equal(home.run('run', 'shout.cwl', job).status, 0);
  const { details } = home.json('show', '1');
  const { signature } = details.find((one: { action: string }) => one.action === 'join');
  assert.equal(home.run('datasets', 'demote', signature).status, 0);
  assert.equal(home.run('datasets', 'rm', signature).status, 0);
  const restored = home.run('datasets', 'restore', signature);
  assert.equal(restored.status, 0, restored.stderr);
  const again = home.run('run', 'shout.cwl', job);
  assert.match(again.stderr, /everything was reused/);
  assert.deepEqual(lines(log), ['a']);
});

test('help, template, dependencies and validation come from the document', (t) => {
  const home = new Home(t);
  home.write('echo.cwl', echo);
  const say = (...words: string[]): string => {
    const { status, stdout, stderr } = home.run('run', 'echo.cwl', ...words);
    assert.equal(status, 0, stderr);
    return stdout;
  };
  assert.match(say('--tool-help'), /Says something.*--message {2}\(string\)\n\s+what to say/s);
  assert.equal(say('--', '--help'), say('--tool-help'));
  assert.match(say('--make-template'), /# what to say\n"message": "a_string"/);
  assert.equal(JSON.parse(say('--print-deps')).location, 'echo.cwl');
  assert.equal(say('--validate'), 'echo.cwl: valid\n');
  assert.ok(!existsSync(home.path('home')), 'nothing was opened');
  home.write('wrong.cwl', echo.replace('stdout: said.txt', 'stdouts: said.txt').replace('string,', 'sting,'));
  const { status, stdout } = home.run('validate', 'echo.cwl', 'wrong.cwl');
  assert.equal(status, 2);
  assert.match(stdout, /^echo.cwl: valid\n(.*\n)*.*wrong\.cwl:7:/);
  assert.match(stdout, /wrong\.cwl:10:1: .*stdouts/);
});

test('what is unsupported ends with 33, what is wrong with 2, and says what to do', (t) => {
  const home = new Home(t);
  const docker = echo.replace('inputs:', 'requirements: {DockerRequirement: {dockerPull: debian}}\ninputs:');
  home.write('docker.cwl', docker);
  const unsupported = home.run('run', 'docker.cwl', '--message', 'x', '--no-container');
  assert.equal(unsupported.status, 33);
  assert.match(unsupported.stderr, /CWL_CONTAINER/);
  home.write('hint.cwl', docker.replace('requirements:', 'hints:'));
  assert.equal(home.run('run', 'hint.cwl', '--message', 'x', '--no-container').status, 0);
  home.write('echo.cwl', echo);
  const misspelt = home.run('run', 'echo.cwl', '--mesage', 'x');
  assert.equal(misspelt.status, 2);
  assert.match(misspelt.stderr, /there is no input "mesage".*\n.*did you mean "message"/);
  const flow = home.write('flow.json', { name: 'flow', actions: [] });
  assert.match(home.run('run', flow, '--make-template').stderr, /flow\.json is no CWL document/);
  assert.match(home.run('run', flow, '--mesage', 'x').stderr, /run has no option --mesage/);
});

test('cwl-runner is varve run', (t) => {
  const home = new Home(t);
  home.write('echo.cwl', echo);
  const bin = join(import.meta.dirname, '..', '..', 'bin', 'cwl-runner.mjs');
  const env = { PATH: process.env.PATH, VARVE_HOME: home.path('home') };
  const stdout = execFileSync(process.execPath, [bin, '--quiet', 'echo.cwl', '--message', 'hi'], {
    cwd: home.folder,
    env,
    encoding: 'utf8',
  });
  assert.equal(readFileSync(JSON.parse(stdout).said.path, 'utf8'), 'hi\n');
});

test('what a tool says without files is computed again where asked, and so is what depends on it', (t) => {
  const home = new Home(t);
  home.write(
    'count.cwl',
    `cwlVersion: v1.2
class: Workflow
requirements: {InlineJavascriptRequirement: {}}
inputs: []
outputs: {doubled: {type: int, outputSource: double/out}}
steps:
  count:
    in: []
    out: [n]
    run:
      class: CommandLineTool
      requirements: {ShellCommandRequirement: {}}
      inputs: []
      outputs: {n: int}
      arguments: [{valueFrom: "echo x >> ${home.path('log')}; echo '{\\"n\\": '$(cat ${home.path('log')} | wc -l)'}' > cwl.output.json", shellQuote: false}]
  double:
    in: {n: count/n}
    out: [out]
    run:
      class: ExpressionTool
      inputs: {n: int}
      outputs: {out: int}
      expression: '$({out: inputs.n * 2})'
`
      .replace('$(cat', '`cat')
      .replace("wc -l)'", "wc -l`'"),
  );
  const doubled = (...words: string[]): number => {
    const { status, stdout, stderr } = home.run(...words, '--quiet');
    assert.equal(status, 0, stderr);
    return JSON.parse(stdout).doubled;
  };
  assert.equal(doubled('run', 'count.cwl'), 2);
  assert.equal(doubled('run', 'count.cwl'), 2);
  assert.equal(doubled('rerun', '1', 'count'), 4);
  assert.equal(doubled('run', 'count.cwl'), 4);
});

test('a file that is named by http is fetched once, asked for again by its ETag, and fetched when it changed', async (t) => {
  const home = new Home(t);
  let text = 'one';
  const answers: number[] = [];
  const server = createServer((request, response) => {
    const etag = `"${text}"`;
    const same = request.headers['if-none-match'] === etag;
    answers.push(same ? 304 : 200);
    response.writeHead(same ? 304 : 200, { etag });
    response.end(same ? '' : text);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  home.write(
    'cat.cwl',
    'cwlVersion: v1.2\nclass: CommandLineTool\nbaseCommand: cat\ninputs: {f: {type: File, inputBinding: {}}}\noutputs: {out: stdout}\nstdout: $(inputs.f.basename).copy\n',
  );
  const read = async (): Promise<string> => {
    const started = home.start('run', '--quiet', 'cat.cwl', '--f', `http://127.0.0.1:${port}/data.txt`);
    const { status, stdout, stderr } = await started.ended;
    assert.equal(status, 0, stderr);
    const { out } = JSON.parse(stdout);
    assert.equal(out.basename, 'data.txt.copy');
    return readFileSync(out.path, 'utf8');
  };
  assert.equal(await read(), 'one');
  assert.equal(await read(), 'one');
  text = 'two';
  assert.equal(await read(), 'two');
  assert.deepEqual(answers, [200, 304, 200]);
});

test('WorkReuse decides whether a tool is computed in every run', (t) => {
  const home = new Home(t);
  const tool = (reuse: boolean): string => `cwlVersion: v1.2
class: CommandLineTool
requirements: {ShellCommandRequirement: {}, WorkReuse: {enableReuse: ${reuse}}}
inputs: []
outputs: []
arguments: [{valueFrom: "echo ran >> ${home.path(`${reuse}.log`)}", shellQuote: false}]
`;
  for (const reuse of [true, false]) {
    home.write(`${reuse}.cwl`, tool(reuse));
    for (let i = 0; i < 2; i++) assert.equal(home.run('run', `${reuse}.cwl`).status, 0);
  }
  assert.equal(lines(home.path('true.log')).length, 1);
  assert.equal(lines(home.path('false.log')).length, 2);
});

test('a document with extensions of other runners runs with warnings; what it requires must be known', (t) => {
  const home = new Home(t);
  const wild = `$namespaces: {sbg: 'https://sevenbridges.com/', cwltool: 'http://commonwl.org/cwltool#'}
$schemas: [https://example.org/schema.rdf]
sbg:revision: 7
hints:
  cwltool:Secrets: {secrets: [message]}
  sbg:AWSInstanceType: {value: c4.2xlarge}
`;
  home.write('wild.cwl', echo.replace('doc:', `${wild}doc:`));
  const { status, stderr } = home.run('run', 'wild.cwl', '--message', 'hi');
  assert.equal(status, 0, stderr);
  assert.match(stderr, /warning: .*wild\.cwl:\d+:\d+: .*Secrets/);
  assert.match(stderr, /warning: .*AWSInstanceType/);
  home.write('strict.cwl', echo.replace('doc:', `${wild.replace('hints:', 'requirements:')}doc:`));
  const strict = home.run('run', 'strict.cwl', '--message', 'hi');
  assert.equal(strict.status, 33);
  assert.match(strict.stderr, /CWL_UNKNOWN_REQUIREMENT/);
});

test('a run whose process was killed is finished by another one, and nothing is computed twice', async (t) => {
  const home = new Home(t);
  const log = home.path('log');
  home.write('shout.cwl', shout(log).replace('echo $(inputs.word)!', 'sleep 0.2; echo $(inputs.word)!'));
  const job = home.write('job.json', { words: ['a', 'b', 'c', 'd', 'e', 'f'] });
  const { child, ended } = home.start('run', 'shout.cwl', job);
  while (lines(log).length < 3) await sleep(10);
  child.kill('SIGKILL');
  await ended;
  const work = home.run('work', '--until-idle');
  assert.equal(work.status, 0, work.stderr);
  assert.equal(home.json('show', '1').state, 'SUCCEEDED');
  const again = home.run('run', 'shout.cwl', job);
  assert.match(again.stderr, /everything was reused/);
  assert.equal(readFileSync(home.path('all.txt'), 'utf8'), 'a!\nb!\nc!\nd!\ne!\nf!\n');
  assert.deepEqual(lines(log).sort(), ['a', 'b', 'c', 'd', 'e', 'f']);
});
