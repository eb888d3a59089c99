import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { follow } from '../documents/reader.ts';
import { runVarve, temporaryFolder } from './varve.ts';

test('init makes a project that is valid and says what to do next', async (t) => {
  const home = temporaryFolder(t);
  const made = await runVarve(home, ['init', 'rain fall']);
  assert.equal(made.exitCode, 0, made.stderr);
  assert.match(made.stdout, /cd "rain fall"\n {2}varve run workflow\.yaml/);
  const project = join(home, 'rain fall');
  assert.deepEqual(readdirSync(project).sort(), [
    '.gitignore',
    'README.md',
    'data',
    'monthly.awk',
    'workflow.schema.json',
    'workflow.yaml',
  ]);
  const valid = await runVarve(home, ['validate', 'workflow.yaml'], { cwd: project });
  assert.equal(valid.exitCode, 0, valid.stderr);
  const schema = /\$schema=(\S+)/.exec(readFileSync(join(project, 'workflow.yaml'), 'utf8'))?.[1];
  assert.ok(existsSync(join(project, schema!)));
});

test('started by npx, init says what to type with npx', async (t) => {
  const home = temporaryFolder(t);
  const made = await runVarve(home, ['init', 'p'], { env: { npm_command: 'exec' } });
  assert.equal(made.exitCode, 0, made.stderr);
  assert.match(made.stdout, /cd p\n {2}npx varve run workflow\.yaml --outdir results {3}# run it\n/);
});

test('the page of a new project says what happens', () => {
  follow('templates/project/README.md', { has: ['templates/project'], start: 'templates/project' });
});

test('init overwrites nothing, and then writes nothing', async (t) => {
  const home = temporaryFolder(t);
  const project = join(home, 'p');
  mkdirSync(project);
  writeFileSync(join(project, 'README.md'), 'mine');
  const refused = await runVarve(home, ['init'], { cwd: project });
  assert.equal(refused.exitCode, 5);
  assert.match(refused.stderr, /already has README\.md \[CLI_INIT_EXISTS\]/);
  assert.deepEqual(readdirSync(project), ['README.md']);
  assert.equal(readFileSync(join(project, 'README.md'), 'utf8'), 'mine');
});

test('demo shows reuse, the budget and restoring, and leaves nothing behind', async (t) => {
  const home = temporaryFolder(t);
  const temporary = join(home, 'tmp');
  mkdirSync(temporary);
  const shown = await runVarve(home, ['demo'], {
    env: { TMPDIR: temporary, VARVE_STORE_URL: 'postgres://nobody@127.0.0.1:1/none' },
  });
  assert.equal(shown.exitCode, 0, `${shown.stdout}${shown.stderr}`);
  const text = shown.stdout + shown.stderr;
  for (const seen of [
    /\$ varve run workflow\.yaml --outdir results\nrun 1 succeeded in .*: 4 computed/,
    /run 2 succeeded in .*: everything was reused/,
    /run 3 succeeded in .*: 1 computed, 1 reused, 2 skipped/,
    /before: 25\n +now: {4}26/,
    /DELETED {2}3\.2 MB/,
    /given up by hamr: /,
    /0 intact, 7 missing/,
    /has the same bytes as before/,
    /\$ varve serve --listen 127\.0\.0\.1:0\n\nIt answers at http:\/\/127\.0\.0\.1:\d+/,
  ]) {
    assert.match(text, seen);
  }
  assert.deepEqual(
    readdirSync(temporary).filter((name) => name.startsWith('varve')),
    [],
  );
});

test('demo works in an empty folder only, and keeps what it did there', async (t) => {
  const home = temporaryFolder(t);
  writeFileSync(join(home, 'mine'), '');
  const refused = await runVarve(home, ['demo', '--dir', '.']);
  assert.equal(refused.exitCode, 5);
  assert.match(refused.stderr, /CLI_DEMO_FOLDER/);
  const kept = await runVarve(home, ['demo', '--fast', '--dir', 'tour']);
  assert.equal(kept.exitCode, 0, kept.stderr);
  const runs = await runVarve(home, ['runs', '--home', join(home, 'tour', 'home'), '--json']);
  assert.equal((JSON.parse(runs.stdout) as unknown[]).length, 5);
});
