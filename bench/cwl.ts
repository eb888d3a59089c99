// CWL against cwltool on the same machine in the same run: `npm run bench -- cwl [part …] [--count 2000] [--rounds 3]`.
// Parts: start (a trivial tool, cold process), scatter (echo, then again with everything known), growth (cost per step and memory of
// 1,250 to 5,000 steps), expressions (10,000), conformance (all tests of CWL v1.2 that need no container, each a cold process; for
// cwltool, too, if the part is asked for by name). The programs take turns and medians count; ratios are what is claimed. cwltool takes
// minutes for 2,000 steps, and longer for each the more there are: fewer would not show it.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { install } from '../test/cwl/installed.ts';
import { absentSuite, feasibleList, judged, pathWithPython, suiteTests } from '../test/cwl/judge.ts';

const { values, positionals } = parseArgs({
  options: {
    count: { type: 'string', default: '2000' },
    rounds: { type: 'string', default: '3' },
  },
  allowPositionals: true,
});
const wanted = (part: string): boolean => positionals.length === 0 || positionals.includes(part);
const work = mkdtempSync(join(tmpdir(), 'varve-bench-cwl-'));
const { cwlRunner } = await install(join(work, 'package'));
const hasCwltool = spawnSync('cwltool', ['--version']).status === 0;

const echo = {
  class: 'CommandLineTool',
  baseCommand: 'echo',
  inputs: { word: { type: 'string', inputBinding: {} } },
  outputs: { said: 'stdout' },
  stdout: 'said.txt',
};
const tool = write('echo.cwl', { cwlVersion: 'v1.2', ...echo });
const scatter = write('scatter.cwl', {
  cwlVersion: 'v1.2',
  class: 'Workflow',
  requirements: { ScatterFeatureRequirement: {} },
  inputs: { words: 'string[]' },
  outputs: { all: { type: 'File[]', outputSource: 'say/said' } },
  steps: { say: { scatter: 'word', in: { word: 'words' }, out: ['said'], run: echo } },
});
const expressions = write('expressions.cwl', {
  cwlVersion: 'v1.2',
  class: 'ExpressionTool',
  requirements: { InlineJavascriptRequirement: {} },
  inputs: { numbers: 'int[]' },
  outputs: { sum: 'int' },
  expression: '${ return {sum: inputs.numbers.reduce(function (a, b) { return a + b; }, 0)}; }',
});

function write(name: string, value: object): string {
  const path = join(work, name);
  writeFileSync(path, JSON.stringify(value));
  return path;
}

function words(count: number): string {
  return write(`words-${count}.json`, { words: Array.from({ length: count }, (_, i) => `word ${i}`) });
}

interface Timing {
  readonly seconds: number;
  readonly peakMegabytes: number;
}

/** A folder that nobody has used. Nothing is removed before the end: file systems are slow to make files after many were removed. */
let folders = 0;
function newFolder(): string {
  const folder = join(work, `${(folders += 1)}`);
  mkdirSync(folder);
  return folder;
}

/** Runs a program to its end, with GNU time to see its memory. */
function timed(program: string, args: readonly string[], home?: string): Timing {
  const out = newFolder();
  const started = performance.now();
  const { status, stderr } = spawnSync('/usr/bin/time', ['-f', '%M', program, ...args], {
    cwd: out,
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      ...(home === undefined ? {} : { VARVE_HOME: home }),
    },
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  const seconds = (performance.now() - started) / 1000;
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${stderr}`);
  return { seconds, peakMegabytes: Number(stderr.trim().split('\n').at(-1)) / 1024 };
}

const varve = (home: string, ...args: string[]): Timing =>
  timed(process.execPath, [cwlRunner, '--quiet', ...args], home);
const cwltool = (...args: string[]): number => timed('cwltool', ['--quiet', ...args]).seconds;

function median(list: readonly number[]): number {
  return [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)]!;
}

function freshHome(): string {
  const home = newFolder();
  // The launcher is compiled once for a home.
  varve(home, tool, '--word', 'first');
  return home;
}

let missed = false;
function claim(what: string, ratio: number, goal: number): void {
  if (ratio < goal) missed = true;
  console.log(`  ${what}: ${ratio.toFixed(1)} × (goal ${goal} ×)${ratio < goal ? '  MISSED' : ''}`);
}

const seconds = (value: number): string => `${value.toFixed(2)} s`;

function start(): void {
  const home = freshHome();
  const own: number[] = [];
  const theirs: number[] = [];
  for (let round = 0; round < Number(values.rounds); round += 1) {
    own.push(varve(home, tool, '--word', `round ${round}`).seconds);
    if (hasCwltool) theirs.push(cwltool(tool, '--word', `round ${round}`));
  }
  console.log(`a trivial tool, cold process: varve ${seconds(median(own))}`);
  if (!hasCwltool) return;
  console.log(`  cwltool ${seconds(median(theirs))}`);
  claim('faster', median(theirs) / median(own), 5);
}

function scattered(): void {
  const count = Number(values.count);
  const cache = join(work, 'cache');
  const own: number[] = [];
  const again: number[] = [];
  const theirs: number[] = [];
  const cached: number[] = [];
  if (hasCwltool) cwltool('--cachedir', cache, scatter, words(count));
  for (let round = 0; round < Number(values.rounds); round += 1) {
    const home = freshHome();
    own.push(varve(home, scatter, words(count)).seconds);
    again.push(varve(home, scatter, words(count)).seconds);
    if (!hasCwltool) continue;
    theirs.push(cwltool(scatter, words(count)));
    cached.push(cwltool('--cachedir', cache, scatter, words(count)));
  }
  console.log(`scatter of ${count}: varve ${seconds(median(own))}, again ${seconds(median(again))}`);
  if (!hasCwltool) return;
  console.log(`  cwltool ${seconds(median(theirs))}, with a warm --cachedir ${seconds(median(cached))}`);
  claim('faster', median(theirs) / median(own), 8);
  claim('faster when everything is known', median(cached) / median(again), 10);
}

function growth(): void {
  for (const count of [1250, 2500, 5000]) {
    const { seconds: taken, peakMegabytes } = varve(freshHome(), scatter, words(count));
    const each = (taken * 1000) / count;
    console.log(
      `scatter of ${count}: ${each.toFixed(2)} ms per step, ${peakMegabytes.toFixed(0)} MB at most (goal 500)`,
    );
    if (peakMegabytes > 500) missed = true;
  }
}

async function manyExpressions(): Promise<void> {
  const { createEvaluator } = await import('../src/languages/cwl/expressions/evaluator.ts');
  const script = '${ return inputs.n * 2 + inputs.text.length; }';
  const requirements = {
    required: { InlineJavascriptRequirement: { class: 'InlineJavascriptRequirement', expressionLib: [] } },
    hinted: {},
  };
  const evaluator = await createEvaluator('v1.2', requirements as never, [script], undefined);
  const started = performance.now();
  for (let i = 0; i < 10_000; i += 1) {
    const value = evaluator.evaluate(script, {
      inputs: { n: i, text: 'x' },
    });
    if (value !== i * 2 + 1) throw new Error(`expression ${i} gave ${value}`);
  }
  const taken = (performance.now() - started) / 1000;
  if (taken > 2) missed = true;
  console.log(`10,000 expressions: ${seconds(taken)} (goal 2 s)${taken > 2 ? '  MISSED' : ''}`);
  const home = freshHome();
  const numbers = write('numbers.json', { numbers: Array.from({ length: 10_000 }, (_, i) => i) });
  console.log(`  an ExpressionTool on 10,000 numbers: ${seconds(varve(home, expressions, numbers).seconds)}`);
}

async function conformance(): Promise<void> {
  if (absentSuite !== undefined) return console.log(`conformance: skipped, ${absentSuite} is absent`);
  const home = freshHome();
  const env = { VARVE_HOME: home, PATH: pathWithPython(work) };
  const round = async (name: string, runner: string): Promise<number> => {
    const started = performance.now();
    const verdicts = await judged(work, runner, suiteTests, ['--only', `@${feasibleList}`], env, 6);
    const taken = (performance.now() - started) / 1000;
    const passed = verdicts.filter(({ status }) => status === 'passed').length;
    console.log(`conformance, ${name}: ${passed} of ${verdicts.length} passed in ${seconds(taken)}`);
    return taken;
  };
  const own = `${process.execPath} ${cwlRunner} --no-container --quiet`;
  const taken = await round('varve', own);
  claim('faster than a minute', 60 / taken, 1);
  await round('varve, the same store again', own);
  if (!hasCwltool || !positionals.includes('conformance')) return;
  const theirs = await round('cwltool', 'cwltool --no-container --quiet');
  console.log(`  ${(theirs / taken).toFixed(1)} × the time of varve`);
}

try {
  if (!hasCwltool) console.log('cwltool is not installed: no ratios');
  if (wanted('start')) start();
  if (wanted('expressions')) await manyExpressions();
  if (wanted('scatter')) scattered();
  if (wanted('growth')) growth();
  if (wanted('conformance')) await conformance();
} finally {
  rmSync(work, { recursive: true, force: true });
}
process.exitCode = missed ? 1 : 0;
