// The example of the storage budget, executed as its README says. `…` in the README stands for what differs from time to time.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { runVarve, temporaryFolder } from './varve.ts';

const root = join(import.meta.dirname, '..', '..');
const readme = readFileSync(join(root, 'examples/06-budget/README.md'), 'utf8');

interface Shown {
  readonly command: string;
  readonly output: readonly string[];
}

function shownCommands(text: string): Shown[] {
  return [...text.matchAll(/```console\n([\s\S]*?)```/g)].flatMap(([, block]) =>
    block!
      .split(/^\$ /m)
      .filter((part) => part !== '')
      .map((part) => {
        const [command, ...output] = part.trimEnd().split('\n');
        return { command: command!, output };
      }),
  );
}

/** Spaces of a table may be more or fewer, because its columns follow their contents. */
function pattern(line: string): RegExp {
  const parts = line
    .trim()
    .split(/\s*…\s*/)
    .map((part) =>
      part
        .split(/\s+/)
        .map((word) => word.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&'))
        .join('\\s+'),
    );
  return new RegExp(`^\\s*${parts.join('\\s*.*?\\s*')}\\s*$`);
}

test('the budget example does what its README says', async (t) => {
  const home = temporaryFolder(t);
  const commands = shownCommands(readme);
  assert.equal(commands.length, 9);
  for (const { command, output } of commands) {
    const [npx, varve, ...args] = command.split(' ');
    assert.deepEqual([npx, varve], ['npx', 'varve']);
    const { exitCode, stdout, stderr } = await runVarve(home, args, { cwd: root, env: { COLUMNS: '220' } });
    assert.equal(exitCode, 0, stderr);
    const lines = stdout.trimEnd().split('\n');
    assert.equal(lines.length, output.length, `${command}\n${stdout}`);
    for (const [i, line] of lines.entries()) assert.match(line, pattern(output[i]!), command);
  }
  const [gone] = JSON.parse(
    (await runVarve(home, ['datasets', 'ls', '--state', 'DELETED', '--json'], { cwd: root })).stdout,
  );
  const why = await runVarve(home, ['datasets', 'why-deleted', gone.signature], { cwd: root });
  assert.match(why.stdout, /given up by hamr: it is expected to save the least compute time per byte/);
});
