// Workflows as a user runs them: real processes, real files, a store of their own.
import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Home, shell } from './home.ts';

const noted = (file: string, word: string): string => `echo ${word} >> ${file}`;
const lines = (file: string): string[] =>
  existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];

async function until(condition: () => boolean): Promise<void> {
  for (let i = 0; i < 600 && !condition(); i++) await sleep(50);
  assert.ok(condition(), 'it did not happen within 30 s');
}

test('only the changed part runs, and why names the field that changed', (t) => {
  const home = new Home(t);
  const log = home.path('log');
  const document = (word: string): object => ({
    name: 'two steps',
    actions: [
      shell('make', `${noted(log, 'make')}; echo data > "$VARVE_OUTPUT/data"`),
      shell('use', `${noted(log, 'use')}; cat "$VARVE_INPUT_MAKE/data" > "$VARVE_OUTPUT/${word}"`, {
        parentActions: ['make'],
      }),
    ],
  });
  const path = home.write('flow.json', document('one'));
  assert.deepEqual(home.json('run', path).actions, {
    computed: 2,
    reused: 0,
    joined: 0,
    skipped: 0,
    failed: 0,
  });
  assert.match(home.run('run', path).stdout, /everything was reused/);
  home.write('flow.json', document('two'));
  assert.deepEqual(home.json('run', path).actions, {
    computed: 1,
    reused: 1,
    joined: 0,
    skipped: 0,
    failed: 0,
  });
  assert.deepEqual(lines(log), ['make', 'use', 'use']);
  const [, use] = home.json('why', '3');
  assert.equal(use.code, 'NEVER_COMPUTED');
  assert.deepEqual(
    use.nearest.differences.map((difference: { path: string }) => difference.path),
    ['action.shell'],
  );
});

test('a dry run prints a reason for each action and changes nothing', (t) => {
  const home = new Home(t);
  const path = home.write('flow.json', {
    name: 'dry',
    actions: [shell('a', 'true'), shell('b', 'true', { parentActions: ['a'] })],
  });
  const plan = home.json('run', path, '--dry-run');
  assert.deepEqual(
    plan.map((row: { action: string; plan: string; code: string }) => [row.action, row.plan, row.code]),
    [
      ['a', 'compute', 'NEVER_COMPUTED'],
      ['b', 'compute', 'NEVER_COMPUTED'],
    ],
  );
  assert.deepEqual(home.json('runs'), []);
});

test('results of conditions and lists have the same names when they are computed and when they are reused', (t) => {
  const home = new Home(t);
  const path = home.write('flow.json', {
    name: 'grown results',
    actions: [
      shell('maybe', 'echo yes > "$VARVE_OUTPUT/file"', { when: 'true' }),
      shell('each', 'echo "$VARVE_INPUT_N" > "$VARVE_OUTPUT/file"', {
        inputs: { n: ['a', 'b'] },
        scatter: 'n',
        when: "inputs.n != 'c'",
      }),
    ],
  });
  const found = ['computed', 'reused'].map((outdir) => {
    const { outputs } = home.json('run', path, '--outdir', outdir);
    const files = globSync('**/file', { cwd: home.path(outdir) }).sort();
    return [
      files,
      files.map((file) => readFileSync(join(home.path(outdir), file), 'utf8')),
      Object.keys(outputs),
    ];
  });
  const expected = [
    ['each/00000000/file', 'each/00000001/file', 'maybe/file'],
    ['a\n', 'b\n', 'yes\n'],
    ['each', 'maybe'],
  ];
  assert.deepEqual(found, [expected, expected]);
});

test('results go to --outdir, one folder per leaf action; foreign files there are never touched', (t) => {
  const home = new Home(t);
  const path = home.write('flow.json', {
    name: 'out',
    actions: [shell('leaf', 'echo hi > "$VARVE_OUTPUT/f"')],
  });
  assert.equal(home.run('run', path, '--outdir', 'results').status, 0);
  assert.equal(readFileSync(home.path('results/leaf/f'), 'utf8'), 'hi\n');
  assert.equal(home.run('run', path, '--outdir', 'results').status, 0);
  home.write('other/leaf/precious', 'mine');
  const refused = home.run('run', path, '--outdir', 'other');
  assert.notEqual(refused.status, 0);
  assert.match(refused.stderr, /\[PLACE_TARGET_FOREIGN\]/);
  assert.equal(readFileSync(home.path('other/leaf/precious'), 'utf8'), 'mine');
});

test('a failing action fails the run with its message; what depends on it is skipped; retry goes on from there', (t) => {
  const home = new Home(t);
  const flag = home.path('flag');
  const log = home.path('log');
  const path = home.write('flow.json', {
    name: 'fails',
    failurePolicy: 'finish-what-is-possible',
    actions: [
      shell('good', noted(log, 'good')),
      shell('bad', `echo broken >&2; test -e ${flag}`),
      shell('after', noted(log, 'after'), { parentActions: ['good', 'bad'] }),
      shell('free', noted(log, 'free')),
    ],
  });
  const first = home.json('run', path);
  assert.equal(first.state, 'FAILED');
  assert.deepEqual(first.actions, { computed: 2, reused: 0, joined: 0, skipped: 1, failed: 1 });
  assert.equal(first.failures[0].action, 'bad');
  assert.equal(home.run('run', path).status, 1);
  assert.match(home.run('logs', '1', 'bad').stdout, /broken/);
  const why = home.json('why', '1', 'after');
  assert.equal(why[0].code, 'PARENT_FAILED');
  home.write('flag', '');
  const again = home.json('retry', '1');
  assert.equal(again.state, 'SUCCEEDED');
  assert.deepEqual(lines(log).sort(), ['after', 'free', 'good']);
});

test('an action is tried again as often as its policy says', (t) => {
  const home = new Home(t);
  const log = home.path('log');
  const flow = shell('flaky', `${noted(log, 'try')}; test $(wc -l < ${log}) -ge 3`, {
    retries: { count: 3, delay: '10ms' },
  });
  const path = home.write('flow.json', { name: 'flaky', actions: [flow] });
  assert.equal(home.json('run', path).state, 'SUCCEEDED');
  assert.equal(lines(log).length, 3);
});

test('a command that takes too long is stopped with everything it started', (t) => {
  const home = new Home(t);
  const path = home.write('flow.json', {
    name: 'slow',
    actions: [shell('slow', 'sleep 300 & wait', { timeout: '200ms' })],
  });
  const report = home.json('run', path);
  assert.equal(report.state, 'FAILED');
  assert.equal(report.failures[0].code, 'ACTION_TIMED_OUT');
});

test('two runs of one workflow started at the same moment compute each action once', async (t) => {
  const home = new Home(t);
  const log = home.path('log');
  const actions = Array.from({ length: 8 }, (_, i) =>
    shell(
      `a${i}`,
      `${noted(log, `a${i}`)}; sleep 0.2; echo ${i} > "$VARVE_OUTPUT/f"`,
      i > 3 ? { parentActions: [`a${i - 4}`] } : {},
    ),
  );
  const path = home.write('flow.json', { name: 'twice', actions });
  const results = await Promise.all([
    home.start('run', path, '--json').ended,
    home.start('run', path, '--json').ended,
  ]);
  for (const { status, stderr } of results) assert.equal(status, 0, stderr);
  assert.deepEqual(
    lines(log).sort(),
    actions.map((_, i) => `a${i}`),
  );
  const counts = results.map(({ stdout }) => JSON.parse(stdout).actions);
  assert.equal(counts[0].computed + counts[1].computed, 8);
});

test('a run whose process was killed is finished by the next process, and nothing that was done runs again', async (t) => {
  const home = new Home(t);
  const log = home.path('log');
  const go = home.path('go');
  const path = home.write('flow.json', {
    name: 'killed',
    actions: [
      shell('first', noted(log, 'first')),
      shell('second', `${noted(log, 'second')}; while ! test -e ${go}; do sleep 0.05; done`, {
        parentActions: ['first'],
      }),
      shell('third', noted(log, 'third'), { parentActions: ['second'] }),
    ],
  });
  const { child, ended } = home.start('run', path);
  await until(() => lines(log).includes('second'));
  child.kill('SIGKILL');
  await ended;
  home.write('go', '');
  assert.equal(home.run('work', '--until-idle').status, 0);
  assert.deepEqual(home.json('show', '1').state, 'SUCCEEDED');
  assert.deepEqual(lines(log), ['first', 'second', 'third']);
});

test('control-C cancels the run and stops its processes', async (t) => {
  const home = new Home(t);
  const mark = home.path('pid');
  const path = home.write('flow.json', {
    name: 'cancelled',
    actions: [shell('long', `echo $$ > ${mark}; sleep 300`)],
  });
  const { child, ended } = home.start('run', path);
  await until(() => existsSync(mark) && readFileSync(mark, 'utf8') !== '');
  child.kill('SIGINT');
  const { status } = await ended;
  assert.equal(status, 130);
  assert.equal(home.json('show', '1').state, 'CANCELLED');
  const pid = readFileSync(mark, 'utf8').trim();
  await until(() => !existsSync(join('/proc', pid)));
});

test('what the caller has in its environment does not leak into actions', (t) => {
  const home = new Home(t, { SECRET: 'leak', VARVE_TEST_SECRET: 'leak' });
  const path = home.write('flow.json', { name: 'env', actions: [shell('env', 'env > "$VARVE_OUTPUT/env"')] });
  home.run('run', path, '--outdir', 'out');
  assert.ok(!readFileSync(home.path('out/env/env'), 'utf8').includes('leak'));
});

test('a dataset whose files were removed by hand is a miss, also half-way down the graph', (t) => {
  const home = new Home(t);
  const log = home.path('log');
  const document = (word: string): object => ({
    name: 'gone',
    actions: [
      shell('root', `${noted(log, 'root')}; echo r > "$VARVE_OUTPUT/f"`),
      shell('leaf', `${noted(log, word)}; cat "$VARVE_INPUT_ROOT/f" > "$VARVE_OUTPUT/${word}"`, {
        parentActions: ['root'],
      }),
    ],
  });
  const path = home.write('flow.json', document('one'));
  home.run('run', path);
  const root = home.json('datasets', 'ls', '--name', 'root')[0];
  const { path: files } = home.json('datasets', 'show', root.signature);
  rmSync(files, { recursive: true, force: true });
  home.write('flow.json', document('two'));
  assert.equal(home.json('run', path).state, 'SUCCEEDED');
  assert.deepEqual(lines(log), ['root', 'one', 'root', 'two']);
  assert.deepEqual(home.json('datasets', 'verify'), { intact: 3, missing: 0, damaged: 0, bad: [] });
});

test('scatter over a list that a step produces, and back in', (t) => {
  const home = new Home(t);
  const path = home.write(
    'flow.yaml',
    `name: dynamic
actions:
  - id: list
    name: list
    type: command-line
    command: printf '["x","y","z"]' > "$VARVE_OUTPUT/list.json"
    outputs: { list: list.json }
  - id: each
    name: each
    type: command-line
    inputs: { item: { from: list, output: list, as: json } }
    scatter: { over: item }
    command: echo "<$VARVE_INPUT_ITEM>" > "$VARVE_OUTPUT/part"
  - id: all
    name: all
    type: command-line
    inputs: { parts: { from: each } }
    command: cat "$VARVE_INPUT_PARTS"/*/part > "$VARVE_OUTPUT/all"
`,
  );
  assert.equal(home.json('run', path, '--outdir', 'out').actions.computed, 5);
  assert.equal(readFileSync(home.path('out/all/all'), 'utf8'), '<x>\n<y>\n<z>\n');
  const again = home.json('run', path);
  assert.equal(again.actions.computed, 0);
});

test('an unmanaged output goes where its user said', (t) => {
  const home = new Home(t);
  const log = home.path('log');
  const target = home.path('mine');
  const path = home.write('flow.json', {
    name: 'unmanaged',
    actions: [
      shell('u', `${noted(log, 'u')}; echo u > "$VARVE_OUTPUT/f"`, { isManaged: false, outputPath: target }),
    ],
  });
  assert.equal(home.json('run', path).state, 'SUCCEEDED');
  assert.equal(home.json('run', path).state, 'SUCCEEDED');
  assert.equal(readFileSync(join(target, 'f'), 'utf8'), 'u\n');
  assert.deepEqual(lines(log), ['u', 'u']);
});
