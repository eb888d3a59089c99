import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseCommandLine } from '../../src/cli/parse-command-line.ts';
import { formatError, VarveError } from '../../src/core/errors.ts';

function parse(line: string) {
  return parseCommandLine(line.split(' ').filter((word) => word !== ''));
}

function complaint(line: string): string {
  try {
    parse(line);
  } catch (error) {
    assert.ok(error instanceof VarveError);
    assert.equal(error.kind, 'invalid');
    return formatError(error);
  }
  throw new Error(`${line} was accepted`);
}

test('global options may stand before, inside and after the name of a command', () => {
  for (const line of [
    '--home /h config show --changed',
    'config --home /h show --changed',
    'config show --changed --home=/h',
  ]) {
    const parsed = parse(line);
    assert.ok(parsed.kind === 'run', line);
    assert.equal(parsed.name, 'config show');
    assert.equal(parsed.globals.home, '/h');
    assert.deepEqual(parsed.invocation.options, { ...parsed.globals, changed: true });
  }
});

test('options that were not given have their defaults', () => {
  const parsed = parse('doctor');
  assert.ok(parsed.kind === 'run');
  assert.deepEqual(parsed.globals, {
    set: [],
    json: false,
    quiet: false,
    color: 'auto',
    help: false,
    version: false,
  });
});

test('an option that may be repeated keeps all its values, another one the last', () => {
  const parsed = parse('--set a=1 doctor --set b=2 --home x --home y -q');
  assert.ok(parsed.kind === 'run');
  assert.deepEqual(parsed.globals.set, ['a=1', 'b=2']);
  assert.equal(parsed.globals.home, 'y');
  assert.equal(parsed.globals.quiet, true);
});

test('arguments get the names of the table', () => {
  const keys = parse('config keys storage');
  assert.ok(keys.kind === 'run');
  assert.deepEqual(keys.invocation.arguments, { prefix: 'storage' });
  const help = parse('help -- config --strange');
  assert.ok(help.kind === 'run');
  assert.deepEqual(help.invocation.arguments, { command: ['config', '--strange'] });
});

test('help and version win over everything else, also over mistakes', () => {
  assert.equal(parse('config show --nonsense --version').kind, 'version');
  for (const [line, about] of [
    ['', ''],
    ['--help', ''],
    ['--help nonsense', ''],
    ['config --help', 'config'],
    ['config show -h --nonsense', 'config show'],
  ] as const) {
    const parsed = parse(line);
    assert.ok(parsed.kind === 'help', line);
    assert.equal(parsed.about, about);
  }
});

test('a mistake is named with what was probably meant', () => {
  const cases: readonly [string, string][] = [
    ['confg', 'unknown command confg [CLI_UNKNOWN_COMMAND]\n  hint: did you mean config?'],
    ['keys', 'unknown command keys [CLI_UNKNOWN_COMMAND]\n  hint: did you mean config keys?'],
    ['config kyes', 'unknown command config kyes [CLI_UNKNOWN_COMMAND]\n  hint: did you mean config keys?'],
    ['config', 'config needs one of show, path, keys [CLI_INCOMPLETE_COMMAND]'],
    [
      'constructor',
      'unknown command constructor [CLI_UNKNOWN_COMMAND]\n  hint: `varve --help` lists all commands',
    ],
    ['doctor --jsno', 'varve doctor has no option --jsno [CLI_UNKNOWN_OPTION]\n  hint: did you mean --json?'],
    ['doctor -x', 'varve doctor has no option -x [CLI_UNKNOWN_OPTION]\n  hint: see `varve doctor --help`'],
    ['--jsno doctor', 'varve has no option --jsno [CLI_UNKNOWN_OPTION]\n  hint: did you mean --json?'],
    ['doctor --home', '--home: expected a path, found nothing [CLI_OPTION_VALUE]'],
    ['doctor --home --json', '--home: expected a path, found nothing [CLI_OPTION_VALUE]'],
    ['doctor --json=yes', '--json: expected no value, found "yes" [CLI_OPTION_VALUE]'],
    [
      'doctor --color alwys',
      '--color: expected one of auto, always, never, found "alwys" [CLI_OPTION_VALUE]\n  hint: did you mean always?',
    ],
    ['completion', 'completion needs <shell> [CLI_MISSING_ARGUMENT]\n  hint: see `varve completion --help`'],
    [
      'doctor now',
      'doctor takes no argument "now" [CLI_UNEXPECTED_ARGUMENT]\n  hint: see `varve doctor --help`',
    ],
  ];
  for (const [line, expected] of cases) assert.equal(complaint(line), expected, line);
});

test('several mistakes are reported together', () => {
  const text = complaint('completion tcsh --color blue --what');
  assert.match(text, /^the command line has 3 problems \[CLI_USAGE\]\n/);
  for (const code of ['CLI_ARGUMENT_VALUE', 'CLI_OPTION_VALUE', 'CLI_UNKNOWN_OPTION']) {
    assert.match(text, new RegExp(`\\[${code}\\]`));
  }
});

test('any words whatever give an answer or an explained error', () => {
  const word = fc.oneof(
    fc.string(),
    fc.constantFrom('config', 'show', '--home', '--set', '-q', '--', '-', '--json', '--color=', '__proto__'),
  );
  fc.assert(
    fc.property(fc.array(word, { maxLength: 6 }), (argv) => {
      try {
        parseCommandLine(argv);
      } catch (error) {
        assert.ok(error instanceof VarveError, String(error));
      }
    }),
  );
});
