import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import { completionScript, type Shell } from '../../src/cli/completion-script.ts';
import { temporaryFolder } from './varve.ts';

const execute = promisify(execFile);

const cases: readonly [words: string[], expected: string[]][] = [
  [['con'], ['config']],
  [
    ['config', ''],
    ['keys', 'path', 'show'],
  ],
  [['--home', '/x', 'config', 'sh'], ['show']],
  [['config', 'show', '--ch'], ['--changed']],
  [
    ['doctor', '--color', ''],
    ['always', 'auto', 'never'],
  ],
  [
    ['completion', ''],
    ['bash', 'fish', 'zsh'],
  ],
];

async function installed(t: TestContext, shell: Shell): Promise<boolean> {
  const found = await execute(shell, ['--version']).then(
    () => true,
    () => false,
  );
  if (!found) t.skip(`${shell} is not installed`);
  return found;
}

function sorted(text: string): string[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.split('\t')[0]!)
    .sort();
}

test('bash completes commands, options and values', async (t) => {
  if (!(await installed(t, 'bash'))) return;
  for (const [words, expected] of cases) {
    const simulate = `${completionScript('bash')}
      COMP_WORDS=(varve "$@"); COMP_CWORD=$#; _varve; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout } = await execute('bash', ['-c', simulate, 'bash', ...words]);
    assert.deepEqual(sorted(stdout), expected, words.join(' '));
  }
});

test('fish completes commands, options and values', async (t) => {
  if (!(await installed(t, 'fish'))) return;
  const folder = temporaryFolder(t);
  const script = join(folder, 'varve.fish');
  writeFileSync(script, completionScript('fish'));
  for (const [words, expected] of cases) {
    const line = `source ${script}; complete -C 'varve ${words.join(' ')}'`;
    const { stdout } = await execute('fish', ['--no-config', '-c', line], {
      env: { HOME: folder, PATH: process.env.PATH },
    });
    assert.deepEqual(sorted(stdout), expected, words.join(' '));
  }
});

test('zsh accepts its script and offers the words of the command', async (t) => {
  if (!(await installed(t, 'zsh'))) return;
  for (const [words, expected] of cases) {
    const simulate = `compdef() { }; _files() { }
      _describe() { local -a list; list=("\${(@P)2}"); printf '%s\\n' "\${list[@]%%:*}" }
      compadd() { shift; printf '%s\\n' "$@" }
      ${completionScript('zsh')}
      words=(varve "$@"); CURRENT=$#words; _varve`;
    const { stdout } = await execute('zsh', ['-f', '-c', simulate, 'zsh', ...words]);
    const prefix = words.at(-1)!;
    const offered = sorted(stdout).filter((word) => word.startsWith(prefix));
    assert.deepEqual(offered, expected, words.join(' '));
  }
});
