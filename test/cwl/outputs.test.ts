import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { JsonObject } from '../../src/core/json.ts';
import { stageOutputs } from '../../src/languages/cwl/index.ts';
import { globIn } from '../../src/languages/cwl/tool/glob.ts';
import { finishPublishing, publishOutputs } from '../../src/languages/cwl/tool/publish-outputs.ts';
import { failure, run, temporaryFolder, writeFiles } from './documents.ts';

const tool = (command: string, outputs: string, more = '') => `cwlVersion: v1.2
class: CommandLineTool
requirements: {ShellCommandRequirement: {}, InlineJavascriptRequirement: {}}
arguments: [{valueFrom: ${JSON.stringify(command)}, shellQuote: false}]
inputs: {file: File?, dir: Directory?}
outputs: ${outputs}
${more}`;

test('glob patterns match names, sorted by bytes, hidden files only by a dot', async () => {
  const folder = await writeFiles({
    'b.txt': '',
    'a.txt': '',
    'B.txt': '',
    '.h.txt': '',
    'd/x.txt': '',
    'd/e/y.txt': '',
    'a[1].txt': '',
  });
  assert.deepEqual(globIn(folder, '*.txt'), ['B.txt', 'a.txt', 'a[1].txt', 'b.txt']);
  assert.deepEqual(globIn(folder, '.*'), ['.h.txt']);
  assert.deepEqual(globIn(folder, '[!a]*.txt'), ['B.txt', 'b.txt']);
  assert.deepEqual(globIn(folder, '*/*.txt'), ['d/x.txt']);
  assert.deepEqual(globIn(folder, './d/?.txt'), ['d/x.txt']);
  assert.deepEqual(globIn(folder, 'a\\[1\\].txt'), ['a[1].txt']);
  assert.deepEqual(globIn(folder, 'none'), []);
  assert.deepEqual(globIn(folder, '.'), ['.']);
});

test('outputs are described with names, sizes, checksums and listings', async () => {
  const outputs = await run(
    tool(
      'echo hi > a.txt; mkdir d; echo ho > d/b',
      '{f: {type: File, outputBinding: {glob: "*.txt"}}, d: {type: Directory, outputBinding: {glob: d}}, n: {type: int, outputBinding: {outputEval: $(runtime.exitCode + 1)}}, none: {type: "File?", outputBinding: {glob: zzz}}}',
    ),
  );
  const { f, d } = outputs as Record<
    string,
    { location: string; basename: string; size: number; checksum: string; listing: JsonObject[] }
  >;
  assert.equal(f!.basename, 'a.txt');
  assert.equal(f!.size, 3);
  assert.equal(f!.checksum, 'sha1$55ca6286e3e4f4fba5d0448333fa99fc5a404a73');
  assert.deepEqual(
    d!.listing.map((one) => one.basename),
    ['b'],
  );
  assert.equal(outputs.n, 1);
  assert.equal(outputs.none, null);
});

test('an output that is missing, of the wrong number or type, is a failure that says so', async () => {
  const code = async (outputs: string, command = 'touch a b') =>
    (await failure(run(tool(command, outputs)))).message;
  assert.match(await code('{f: {type: File, outputBinding: {glob: none}}}'), /no file matches none/);
  assert.match(await code('{f: {type: File, outputBinding: {glob: "*"}}}'), /2 files match/);
  assert.match(
    await code('{f: {type: int, outputBinding: {outputEval: "$(\'x\')"}}}'),
    /must be int, not "x"/,
  );
  assert.match(await code('{f: {type: File, outputBinding: {glob: ../x}}}'), /outside the output directory/);
  assert.match(await code('[]', 'echo oops >&2; exit 3'), /exit code 3 \(oops\)/);
});

test('a link out of the output directory is refused, one to an input is followed', async () => {
  const secret = join(temporaryFolder(), 'secret');
  writeFileSync(secret, 'x');
  const glob = '{f: {type: File, outputBinding: {glob: link}}}';
  assert.match(
    (await failure(run(tool(`ln -s ${secret} link`, glob)))).message,
    /outside the output directory/,
  );
  assert.match(
    (
      await failure(
        run(
          tool(
            `mkdir link; ln -s ${secret} link/inner`,
            '{f: {type: Directory, outputBinding: {glob: link}}}',
          ),
        ),
      )
    ).message,
    /outside the output directory/,
  );
  const input = { file: { class: 'File', location: `file://${secret}` } };
  const outputs = await run(tool('ln -s "$(inputs.file.path)" link', glob), input);
  assert.equal((outputs.f as JsonObject).checksum, 'sha1$11f6ad8ec52a2984abaafd7c3b516503785c2072');
});

test('cwl.output.json replaces the output bindings and is checked like them', async () => {
  const json = (text: string) =>
    tool(`echo hi > x; cat > cwl.output.json <<'E'\n${text}\nE`, '{f: File, n: int}');
  const outputs = await run(json('{"n": 2, "f": {"class": "File", "path": "x"}}'));
  assert.equal((outputs.f as JsonObject).size, 3);
  assert.match(
    (await failure(run(json('{"n": "two", "f": {"class": "File", "path": "x"}}')))).message,
    /must be int/,
  );
  assert.match(
    (await failure(run(json('{"n": 2, "f": {"class": "File", "path": "/etc/passwd"}}')))).message,
    /outside/,
  );
  assert.match((await failure(run(json('{')))).message, /no JSON/);
});

test('success, temporary and permanent codes decide what an exit code means', async () => {
  const outputs = '{c: {type: int, outputBinding: {outputEval: $(runtime.exitCode)}}}';
  assert.deepEqual(await run(tool('exit 7', outputs, 'successCodes: [7]\n')), { c: 7 });
  assert.equal(
    (await failure(run(tool('exit 0', outputs, 'permanentFailCodes: [0]\n')))).code,
    'CWL_EXIT_CODE',
  );
});

test('publishing moves what the command left, copies what is not its own, and can be finished after a crash', async () => {
  const folder = await writeFiles({ 'work/a': '1', 'work/d/b': '2', 'user/a': '3', 'stored/s': '4' });
  mkdirSync(join(folder, 'out'));
  symlinkSync('a', join(folder, 'work/again'));
  const file = (path: string) => ({ class: 'File', location: `file://${join(folder, path)}` });
  const place = { target: join(folder, 'out'), directory: folder };
  const rules = {
    folder: join(folder, 'work'),
    immutable: [join(folder, 'stored')],
    inputs: [join(folder, 'user')],
    keepForeign: false,
  };
  const outputs = {
    passed: file('user/a'),
    own: file('work/a'),
    again: file('work/again'),
    kept: file('stored/s'),
    dir: { class: 'Directory', location: `file://${folder}/work/d` },
    text: { class: 'File', basename: 'a', contents: 't' },
  };
  assert.equal(await finishPublishing(place), undefined);
  const first = await publishOutputs(outputs, place, rules);
  assert.deepEqual(await finishPublishing(place), first);
  const at = (name: string) => (first[name] as { location: string }).location;
  assert.equal(at('own'), 'a');
  assert.notEqual(at('passed'), 'a');
  const texts = ['own', 'passed', 'again', 'kept', 'text'].map((name) =>
    readFileSync(join(folder, 'out', at(name)), 'utf8'),
  );
  assert.deepEqual(texts, ['1', '3', '1', '4', 't']);
  assert.ok(existsSync(join(folder, 'out/d/b')));
  assert.ok(!existsSync(join(folder, 'work/a')));
  assert.ok(existsSync(join(folder, 'user/a')));
});

test('processes that collect one attempt at the same time publish the same complete files', async () => {
  for (let round = 0; round < 40; round += 1) {
    const names = Array.from({ length: 12 }, (_, i) => `work/d/${i}`);
    const folder = await writeFiles(Object.fromEntries(names.map((name) => [name, name])));
    mkdirSync(join(folder, 'out'));
    const place = { target: join(folder, 'out'), directory: folder };
    const rules = { folder: join(folder, 'work'), immutable: [], inputs: [], keepForeign: false };
    const outputs = { d: { class: 'Directory', location: `file://${folder}/work/d` } };
    const collect = async (after: number) => {
      await new Promise((resolve) => setTimeout(resolve, after));
      return (await finishPublishing(place)) ?? (await publishOutputs(outputs, place, rules));
    };
    const told = await Promise.all(
      [0, 0, round % 4].map((after) => collect(after).catch(() => finishPublishing(place))),
    );
    assert.equal(new Set(told.map((one) => JSON.stringify(one))).size, 1);
    const { d } = told[0] as unknown as { d: { listing: readonly JsonObject[] } };
    assert.equal(d.listing.length, names.length);
    assert.equal(readdirSync(join(folder, 'out/d')).length, names.length);
  }
});

test('who comes late to collect finds what another moved away, also when its outputs may be missing', async () => {
  const folder = await writeFiles({ 'work/a': '1' });
  mkdirSync(join(folder, 'out'));
  const place = { target: join(folder, 'out'), directory: folder };
  const rules = { folder: join(folder, 'work'), immutable: [], inputs: [], keepForeign: false };
  const first = await publishOutputs(
    { f: { class: 'File', location: `file://${folder}/work/a` } },
    place,
    rules,
  );
  assert.deepEqual(await publishOutputs({ f: null }, place, rules), first);
  // Also once the dataset has gone to its place.
  renameSync(join(folder, 'out'), join(folder, 'dataset'));
  assert.deepEqual(await publishOutputs({ f: null }, place, rules), first);
  assert.deepEqual(
    await publishOutputs({ t: { class: 'File', basename: 't', contents: '' } }, place, rules),
    first,
  );
  assert.ok(!existsSync(join(folder, 'out')));
  assert.deepEqual(readdirSync(join(folder, 'dataset')), ['a']);
});

test('a choice that was carried out in part is finished, whatever had been done of it', async () => {
  const whole = ['d', 'd/b', 'e', 'e/c', 'a', 't'];
  for (let done = 0; done <= whole.length; done += 1) {
    const folder = await writeFiles({ 'work/a': '1', 'work/d/b': '2', 'work/e/c': '3' });
    mkdirSync(join(folder, 'out'));
    const place = { target: join(folder, 'out'), directory: folder };
    const rules = { folder: join(folder, 'work'), immutable: [], inputs: [], keepForeign: false };
    const at = (path: string, kind: string) => ({ class: kind, location: `file://${folder}/work/${path}` });
    const first = await publishOutputs(
      {
        a: at('a', 'File'),
        d: at('d', 'Directory'),
        e: at('e/c', 'File'),
        t: { class: 'File', basename: 't', contents: 't' },
      },
      place,
      rules,
    );
    const { moves } = JSON.parse(readFileSync(join(folder, 'collected.json'), 'utf8')) as {
      moves: readonly { name: string; source: string }[];
    };
    // As a crash leaves it: what comes later in the plan is not done yet.
    for (const name of whole.slice(done).reverse()) {
      const move = moves.find((one) => one.name === name);
      if (move) renameSync(join(folder, 'out', name), move.source);
      else rmdirSync(join(folder, 'out', name));
    }
    assert.deepEqual(await finishPublishing(place), first);
    for (const name of whole) assert.ok(existsSync(join(folder, 'out', name)), `${done}: ${name}`);
  }
});

test('a command that wrote to the folder of its dataset has no outputs', async () => {
  const folder = await writeFiles({ 'work/a': '1', 'out/b': '2' });
  const place = { target: join(folder, 'out'), directory: folder };
  const rules = { folder: join(folder, 'work'), immutable: [], inputs: [], keepForeign: false };
  const outputs = { f: { class: 'File', location: `file://${folder}/work/a` } };
  assert.match((await failure(publishOutputs(outputs, place, rules))).message, /becomes its dataset/);
});

test('outputs of one name all reach the output folder, secondary files under their own names', async () => {
  const folder = await writeFiles({
    '1/a.txt': 'one',
    '2/a.txt': 'two',
    '3/a.txt': 'three',
    '3/a.txt.idx': 'i',
    '4/d/x': 'y',
  });
  const file = (path: string, more: JsonObject = {}) => ({
    class: 'File',
    location: `file://${folder}/${path}`,
    basename: path.split('/').at(-1)!,
    digest: 'hidden',
    ...more,
  });
  const outdir = join(folder, 'out');
  const staged = await stageOutputs(
    {
      a: file('1/a.txt'),
      b: file('2/a.txt'),
      c: file('3/a.txt', { secondaryFiles: [file('3/a.txt.idx')] }),
      d: { class: 'Directory', location: `file://${folder}/4/d`, basename: 'd', listing: [file('4/d/x')] },
    },
    outdir,
  );
  const path = (name: string) => (staged[name] as { path: string }).path.slice(outdir.length + 1);
  assert.deepEqual(['a', 'b', 'c', 'd'].map(path), ['a.txt', 'a_2.txt', 'a.txt.d/a.txt', 'd']);
  assert.equal(readFileSync(join(outdir, 'a_2.txt'), 'utf8'), 'two');
  assert.equal(readFileSync(join(outdir, 'a.txt.d/a.txt.idx'), 'utf8'), 'i');
  assert.equal(readFileSync(join(outdir, 'd/x'), 'utf8'), 'y');
  assert.doesNotMatch(JSON.stringify(staged), /hidden/);
});

test('an output folder that exists is written over, not into its links', async () => {
  const folder = await writeFiles({ 'a.txt': 'new' });
  const outdir = join(folder, 'out');
  mkdirSync(outdir);
  writeFileSync(join(folder, 'precious'), 'old');
  symlinkSync(join(folder, 'precious'), join(outdir, 'a.txt'));
  await stageOutputs({ a: { class: 'File', location: `file://${folder}/a.txt`, basename: 'a.txt' } }, outdir);
  assert.equal(readFileSync(join(folder, 'precious'), 'utf8'), 'old');
  assert.equal(readFileSync(join(outdir, 'a.txt'), 'utf8'), 'new');
});
