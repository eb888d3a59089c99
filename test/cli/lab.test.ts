import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { runVarve, temporaryFolder } from './varve.ts';

test('a history is generated, simulated, replayed, bounded and reported by commands', async (t) => {
  const home = temporaryFolder(t);
  const varve = (...args: string[]) => runVarve(home, args, { cwd: home });
  const made = await varve(
    'lab',
    'generate',
    'sweep',
    '--seed',
    '7',
    '--parameter',
    'runs=30',
    '--out',
    'h.jsonl',
  );
  assert.equal(made.exitCode, 0, made.stderr);
  assert.match(made.stdout, /^wrote 30 runs over \d+ datasets to h\.jsonl$/m);
  const printed = await varve('lab', 'generate', 'sweep', '--seed', '7', '--parameter', 'runs=30');
  assert.equal(printed.stdout, readFileSync(join(home, 'h.jsonl'), 'utf8'));

  const simulated = await varve(
    ...['lab', 'simulate', 'h.jsonl', '--algorithm', 'hamr', '--algorithm', 'random'],
    ...['--budget', '5%', '--budget', '3GB', '--out', 'results.json', '--report', 'first.html'],
  );
  assert.equal(simulated.exitCode, 0, simulated.stderr);
  assert.match(simulated.stdout, /^3 GB +random +0\.\d{3}/m);

  const replayed = await varve(
    'lab',
    'replay',
    'h.jsonl',
    '--budget',
    '1GB',
    '--budget',
    '2GB',
    '--algorithm',
    'gdsf',
    '--json',
  );
  const { cells } = JSON.parse(replayed.stdout);
  assert.ok(cells[1].rows[0].totalSeconds <= cells[0].rows[0].totalSeconds);

  const bounded = await varve('lab', 'bound', 'h.jsonl', '--budget', '5%');
  assert.match(bounded.stdout, /with an unlimited store/);
  const reported = await varve('lab', 'report', 'results.json', '--out', 'second.html');
  assert.equal(reported.exitCode, 0, reported.stderr);
  for (const file of ['first.html', 'second.html']) {
    assert.match(readFileSync(join(home, file), 'utf8'), /^<!doctype html>/);
  }
});

test('a plug-in is checked, and the exit code says whether it passed', async (t) => {
  const home = temporaryFolder(t);
  writeFileSync(
    join(home, 'bad.mjs'),
    "export default { name: 'bad', reason: 'is bad', decide: () => ({ giveUp: [0] }) };",
  );
  const good = await runVarve(home, ['lab', 'check', 'lru', '--cases', '5']);
  assert.deepEqual([good.exitCode, good.stdout], [0, 'lru keeps its contract in 5 situations\n']);
  const bad = await runVarve(home, ['lab', 'check', './bad.mjs', '--cases', '5'], { cwd: home });
  assert.equal(bad.exitCode, 1);
  assert.match(bad.stdout, /valid: an algorithm names only stored datasets/);
});

test('mistakes give one clear message each', async (t) => {
  const home = temporaryFolder(t);
  writeFileSync(join(home, 'broken.jsonl'), '{"format":"varve-history","version":1}\n{"dataset":"a"}\n');
  writeFileSync(join(home, 'broken.json'), '{}');
  const cases: [string[], RegExp][] = [
    [['lab', 'generate', 'zip'], /there is no family "zip"/],
    [['lab', 'generate', 'zipf', '--parameter', 'actions'], /LAB_BAD_ASSIGNMENT/],
    [['lab', 'simulate', '--budget', 'much'], /"much" is no budget/],
    [['lab', 'simulate', '--algorithm', './none.js'], /there is no decision algorithm "\.\/none\.js"/],
    [['lab', 'bound', 'broken.jsonl'], /broken\.jsonl:2:1: "bytes" is missing/],
    [['lab', 'report', 'broken.json'], /"algorithms" is missing/],
  ];
  for (const [args, expected] of cases) {
    const { exitCode, stderr } = await runVarve(home, args, { cwd: home });
    assert.notEqual(exitCode, 0);
    assert.match(stderr, expected);
    assert.doesNotMatch(stderr, /\n\s+at /);
  }
});
