import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { basename } from 'node:path';
import { test } from 'node:test';
import type { CommandSpec } from '../../src/cli/command.ts';
import {
  commandGroups,
  commandNames,
  commandSpec,
  commandTable,
  commandTopics,
  loadCommand,
} from '../../src/cli/command-table.ts';
import { globalOptions } from '../../src/cli/global-options.ts';
import { helpText } from '../../src/cli/help-text.ts';
import { parseCommandLine } from '../../src/cli/parse-command-line.ts';
import { createStyle } from '../../src/cli/terminal/style.ts';

const commandsFolder = new URL('../../src/cli/commands/', import.meta.url);

test('every row has its file, which exports run, and every file has its row', async () => {
  const files = globSync('*.ts', { cwd: commandsFolder }).map((file) => basename(file, '.ts'));
  assert.deepEqual(files.sort(), commandNames.map((name) => name.replaceAll(' ', '-')).sort());
  for (const name of commandNames) assert.equal(typeof (await loadCommand(name)).run, 'function', name);
});

test('every command belongs to one topic, and every group is explained', () => {
  const listed = commandTopics.flatMap(({ rows }) => Object.keys(rows));
  assert.deepEqual(listed.sort(), Object.keys(commandTable).sort());
  const groups = commandNames.filter((name) => name.includes(' ')).map((name) => name.split(' ')[0]!);
  assert.deepEqual([...new Set<string | undefined>(groups)].sort(), Object.keys(commandGroups).sort());
});

test('rows are written alike: short summaries, no clash with global options, examples that parse', () => {
  for (const name of commandNames) {
    const spec: CommandSpec = commandSpec(name);
    assert.match(spec.summary, /^[a-z].{3,98}[^.]$/, name);
    assert.ok(spec.examples.length > 0, `${name} has no example`);
    const letters = new Set<string>(
      Object.values(globalOptions).map((option) => ('short' in option ? option.short : '')),
    );
    for (const [option, { short }] of Object.entries(spec.options ?? {})) {
      assert.ok(!Object.hasOwn(globalOptions, option), `${name}: --${option} is a global option`);
      assert.ok(short === undefined || !letters.has(short), `${name}: -${short} is taken`);
      if (short) letters.add(short);
    }
    for (const { line } of spec.examples) {
      const words = /varve (?<words>[^|>")]*)/.exec(line)?.groups?.words;
      assert.ok(words !== undefined, `${name}: ${line} does not show varve`);
      const parsed = parseCommandLine(words.trim().split(/\s+/));
      assert.ok(parsed.kind === 'run' && parsed.name === name, line);
    }
  }
});

test('every page of help fits the terminal', () => {
  const style = createStyle(false);
  for (const about of ['', ...Object.keys(commandGroups), ...commandNames]) {
    for (const columns of [60, 80, 200]) {
      for (const line of helpText(about, style, columns).split('\n')) {
        const isExample = /^ {2}(#|varve|nano)/.test(line);
        assert.ok(isExample || line.length <= Math.min(columns, 100), `${about}: ${line}`);
      }
    }
  }
});
