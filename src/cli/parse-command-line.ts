// Reads a command line by the command table. The first words name the command, with global options anywhere between; the rest
// is checked against the command's row, and all mistakes are reported at once.
import { parseArgs } from 'node:util';
import { closest, didYouMean } from '../core/closest.ts';
import type { VarveError } from '../core/errors.ts';
import type { ArgumentSpec, Invocation, OptionTable } from './command.ts';
import {
  type CommandName,
  commandGroups,
  commandNames,
  commandSpec,
  isCommandName,
} from './command-table.ts';
import { cliErrors } from './error-codes.ts';
import { type Globals, globalOptions } from './global-options.ts';
import { readOptionValue } from './option-values.ts';

export type CommandLine =
  | { readonly kind: 'version' }
  /** Help about a command, a group, or (empty) about everything. */
  | { readonly kind: 'help'; readonly about: string; readonly globals: Globals }
  | {
      readonly kind: 'run';
      readonly name: CommandName;
      readonly invocation: Invocation;
      readonly globals: Globals;
    };

/** What the user wants, or a VarveError that lists every mistake. */
export function parseCommandLine(argv: readonly string[]): CommandLine {
  const found = findCommand(argv);
  const spec = found.name === undefined ? undefined : commandSpec(found.name);
  const problems: VarveError[] = [];
  const table = { ...globalOptions, ...spec?.options };
  const { words, rest } = spec?.keepsRest ? setAside(found.rest, table) : { words: found.rest, rest: [] };
  const { values, positionals } = readOptions(words, table, found.path, problems);
  const globals = values as unknown as Globals;
  if (globals.version) return { kind: 'version' };
  if (globals.help) return { kind: 'help', about: found.path, globals };
  if (found.name === undefined) {
    report(problems);
    if (found.stranger !== undefined) throw unknownCommand(found.path, found.stranger);
    if (found.path !== '') {
      throw cliErrors.CLI_INCOMPLETE_COMMAND(found.path, groupMembers(found.path).join(', '));
    }
    return { kind: 'help', about: '', globals };
  }
  const named = readArguments(found.name, spec?.arguments ?? [], positionals, problems);
  report(problems);
  return { kind: 'run', name: found.name, invocation: { options: values, arguments: named, rest }, globals };
}

/** The complaint about kept words that the document cannot understand either; nothing when there are none. */
export function rejectRest(command: CommandName, rest: readonly string[]): void {
  const table = { ...globalOptions, ...commandSpec(command).options };
  report(
    rest.flatMap((word) =>
      word.startsWith('-') ? [unknownOption(word.replace(/=.*/s, ''), command, table)] : [],
    ),
  );
  const [word] = rest;
  if (word !== undefined)
    throw cliErrors.CLI_UNEXPECTED_ARGUMENT.with(seeHelp(command), command, JSON.stringify(word));
}

/** The second words that may follow a group's name. */
export function groupMembers(group: string): string[] {
  return commandNames
    .filter((name) => name.startsWith(`${group} `))
    .map((name) => name.slice(group.length + 1));
}

interface FoundCommand {
  readonly name: CommandName | undefined;
  /** The words that were understood: a command, a group or nothing. */
  readonly path: string;
  /** The first word that was not, when no command was found. */
  readonly stranger: string | undefined;
  /** The command line without the command's own words. */
  readonly rest: readonly string[];
}

function findCommand(argv: readonly string[]): FoundCommand {
  const used = new Set<number>();
  let path = '';
  let stranger: string | undefined;
  for (const token of tokenize(argv, globalOptions)) {
    if (token.kind === 'option' && Object.hasOwn(globalOptions, token.name)) continue;
    if (token.kind !== 'positional') break;
    const longer = path === '' ? token.value : `${path} ${token.value}`;
    if (!isCommandName(longer) && !Object.hasOwn(commandGroups, longer)) {
      stranger = token.value;
      break;
    }
    path = longer;
    used.add(token.index);
    // Of a command that is a group, too, the next word may say more.
    if (isCommandName(longer) && !Object.hasOwn(commandGroups, longer)) break;
  }
  const rest = argv.filter((_, index) => !used.has(index));
  return isCommandName(path)
    ? { name: path, path, stranger: undefined, rest }
    : { name: undefined, path, stranger, rest };
}

/** Takes out, behind the first argument, unknown options with the words that follow them, and everything behind `--`. */
function setAside(
  argv: readonly string[],
  table: OptionTable,
): { readonly words: readonly string[]; readonly rest: readonly string[] } {
  const kept = new Set<number>();
  let keeping = false;
  let afterFirst = false;
  for (const token of tokenize(argv, table)) {
    if (token.kind === 'option-terminator') {
      const head = argv.slice(0, token.index);
      const rest = [...head.filter((_, index) => kept.has(index)), ...argv.slice(token.index + 1)];
      return { words: head.filter((_, index) => !kept.has(index)), rest };
    }
    if (token.kind === 'option') keeping = afterFirst && !Object.hasOwn(table, token.name);
    else afterFirst = true;
    if (keeping) kept.add(token.index);
  }
  return {
    words: argv.filter((_, index) => !kept.has(index)),
    rest: argv.filter((_, index) => kept.has(index)),
  };
}

function tokenize(argv: readonly string[], table: OptionTable) {
  const options = Object.fromEntries(
    Object.entries(table).map(([name, spec]) => [
      name,
      {
        type: spec.type === 'flag' ? ('boolean' as const) : ('string' as const),
        ...(spec.short && { short: spec.short }),
      },
    ]),
  );
  return parseArgs({ args: [...argv], options, strict: false, allowPositionals: true, tokens: true }).tokens;
}

function readOptions(
  argv: readonly string[],
  table: OptionTable,
  command: string,
  problems: VarveError[],
): { values: Readonly<Record<string, unknown>>; positionals: string[] } {
  const values = defaults(table);
  const positionals: string[] = [];
  for (const token of tokenize(argv, table)) {
    if (token.kind === 'positional') positionals.push(token.value);
    if (token.kind !== 'option') continue;
    const spec = Object.hasOwn(table, token.name) ? table[token.name] : undefined;
    if (spec === undefined) {
      problems.push(unknownOption(token.rawName, command, table));
      continue;
    }
    if (spec.type === 'flag' && token.value !== undefined) {
      problems.push(cliErrors.CLI_OPTION_VALUE(token.rawName, 'no value', JSON.stringify(token.value)));
      continue;
    }
    // A following option is never meant as the value, unless it is a negative number.
    const swallowed = !token.inlineValue && /^-(?!\d)./.test(token.value ?? '');
    const read = readOptionValue(spec, token.rawName, swallowed ? undefined : token.value);
    if ('error' in read) problems.push(read.error);
    else if (spec.multiple) (values[token.name] as unknown[]).push(read.value);
    else values[token.name] = read.value;
  }
  return { values, positionals };
}

function defaults(table: OptionTable): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const [name, spec] of Object.entries(table)) {
    if (spec.multiple) values[name] = [];
    else if (spec.type === 'flag') values[name] = false;
    else if (spec.default !== undefined) {
      const read = readOptionValue(spec, name, spec.default);
      if ('value' in read) values[name] = read.value;
    }
  }
  return values;
}

function readArguments(
  command: CommandName,
  specs: readonly ArgumentSpec[],
  positionals: readonly string[],
  problems: VarveError[],
): Readonly<Record<string, unknown>> {
  const values: Record<string, unknown> = {};
  const remaining = [...positionals];
  for (const spec of specs) {
    const texts = spec.variadic ? remaining.splice(0) : remaining.splice(0, 1);
    if (texts.length === 0 && !spec.optional) {
      problems.push(cliErrors.CLI_MISSING_ARGUMENT.with(seeHelp(command), command, argumentUsage(spec)));
    }
    for (const text of texts) {
      if (spec.choices === undefined || spec.choices.includes(text)) continue;
      const hint = didYouMean(text, spec.choices);
      const expected = `one of ${spec.choices.join(', ')}`;
      problems.push(cliErrors.CLI_ARGUMENT_VALUE.with({ hint }, spec.name, expected, JSON.stringify(text)));
    }
    values[spec.name] = spec.variadic ? texts : texts[0];
  }
  for (const text of remaining) {
    problems.push(cliErrors.CLI_UNEXPECTED_ARGUMENT.with(seeHelp(command), command, JSON.stringify(text)));
  }
  return values;
}

/** `<shell>`, `[code]`, `[command...]`. */
export function argumentUsage(spec: ArgumentSpec): string {
  const name = spec.variadic ? `${spec.name}...` : spec.name;
  return spec.optional ? `[${name}]` : `<${name}>`;
}

function unknownOption(option: string, command: string, table: OptionTable): VarveError {
  const near = didYouMean(
    option,
    Object.keys(table).map((name) => `--${name}`),
  );
  const extras = near ? { hint: near } : seeHelp(command);
  return cliErrors.CLI_UNKNOWN_OPTION.with(extras, option, `varve${command && ` ${command}`}`);
}

function unknownCommand(path: string, word: string): VarveError {
  const full = path === '' ? word : `${path} ${word}`;
  const topWords = [...commandNames.filter((name) => !name.includes(' ')), ...Object.keys(commandGroups)];
  const bySecondWord = commandNames.find((name) => name.endsWith(` ${word}`));
  const near = path === '' ? closest(word, topWords) : closest(full, commandNames);
  const meant = near ?? bySecondWord;
  const hint = meant && `did you mean ${meant}?`;
  return cliErrors.CLI_UNKNOWN_COMMAND.with(hint ? { hint } : {}, full);
}

function seeHelp(command: string): { hint: string } {
  return { hint: `see \`varve ${command && `${command} `}--help\`` };
}

function report(problems: readonly VarveError[]): void {
  if (problems.length === 1) throw problems[0];
  if (problems.length > 1) throw cliErrors.CLI_USAGE.with({ problems }, problems.length);
}
