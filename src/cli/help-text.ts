// The help pages, from the command table.
import type { CommandSpec, OptionTable } from './command.ts';
import {
  type CommandName,
  commandGroups,
  commandSpec,
  commandTopics,
  isCommandName,
} from './command-table.ts';
import { globalOptions } from './global-options.ts';
import { optionUsage } from './option-values.ts';
import { argumentUsage, groupMembers } from './parse-command-line.ts';
import type { Style } from './terminal/style.ts';
import { wrapText } from './terminal/wrap-text.ts';

type Row = readonly [term: string, text: string];

/** The page about a command, a group of commands, or (empty) about varve. */
export function helpText(about: string, style: Style, columns: number): string {
  const width = Math.max(40, Math.min(columns, 100));
  const layout = new Layout(style, width);
  if (isCommandName(about)) commandHelp(about, layout);
  else if (about === '') overview(layout);
  else groupHelp(about, layout);
  return layout.text();
}

/** `varve config keys [prefix]`. */
export function usageLine(name: string, spec: CommandSpec): string {
  const words = ['varve', name];
  if (Object.keys(spec.options ?? {}).length > 0) words.push('[options]');
  return [...words, ...(spec.arguments ?? []).map(argumentUsage)].join(' ');
}

/** The options as terms and texts: `-q, --quiet`, and what it does with its default. */
export function optionRows(table: OptionTable): Row[] {
  return Object.entries(table).map(([name, spec]) => {
    const term = `${spec.short ? `-${spec.short}, ` : ''}${optionUsage(name, spec)}`;
    const notes = [
      ...(spec.multiple ? ['may be repeated'] : []),
      ...(spec.default === undefined ? [] : [`default: ${spec.default}`]),
    ];
    return [term, notes.length === 0 ? spec.summary : `${spec.summary} (${notes.join('; ')})`];
  });
}

function overview(layout: Layout): void {
  layout.heading('Usage', 'varve <command> [options]');
  layout.paragraph(
    'Varve runs workflows and remembers: it never computes the same thing twice, and keeps its datasets within a storage budget.',
  );
  for (const topic of commandTopics) {
    const rows = new Map<string, string>();
    for (const [name, spec] of Object.entries(topic.rows)) {
      const group = name.includes(' ') ? name.split(' ')[0]! : undefined;
      if (group === undefined) rows.set(name, spec.summary);
      else rows.set(group, `${commandGroups[group]}: ${groupMembers(group).join(', ')}`);
    }
    layout.list(topic.title, [...rows]);
  }
  layout.list('Global options', optionRows(globalOptions));
  layout.paragraph('`varve <command> --help` explains a command.');
}

function groupHelp(group: string, layout: Layout): void {
  layout.heading('Usage', `varve ${group} <command> [options]`);
  layout.paragraph(sentence(commandGroups[group] ?? ''));
  const rows = groupMembers(group).map((member): Row => {
    const name = `${group} ${member}` as CommandName;
    return [name, commandSpec(name).summary];
  });
  layout.list('Commands', rows);
}

function commandHelp(name: CommandName, layout: Layout): void {
  const spec = commandSpec(name);
  layout.heading('Usage', usageLine(name, spec));
  layout.paragraph(sentence(spec.summary));
  if (spec.description) layout.paragraph(spec.description);
  layout.list(
    'Arguments',
    (spec.arguments ?? []).map((argument): Row => {
      const choices = argument.choices ? ` (${argument.choices.join(', ')})` : '';
      return [argumentUsage(argument), `${argument.summary}${choices}`];
    }),
  );
  layout.list('Options', optionRows(spec.options ?? {}));
  const names = Object.keys(globalOptions).map((option) => `--${option}`);
  layout.paragraph(`Global options: ${names.join(', ')}; \`varve --help\` explains them.`);
  layout.examples(spec.examples.map((example): Row => [example.line, example.what]));
}

/** A summary as a sentence. */
export function sentence(summary: string): string {
  return `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`;
}

class Layout {
  readonly #style: Style;
  readonly #width: number;
  readonly #blocks: string[] = [];

  constructor(style: Style, width: number) {
    this.#style = style;
    this.#width = width;
  }

  heading(title: string, text: string): void {
    this.#blocks.push(`${this.#style.bold(`${title}:`)} ${text}`);
  }

  paragraph(text: string): void {
    this.#blocks.push(wrapText(text, this.#width).join('\n'));
  }

  list(title: string, rows: readonly Row[]): void {
    if (rows.length === 0) return;
    const longest = Math.max(...rows.map(([term]) => term.length));
    const indent = Math.min(longest, 28) + 4;
    const lines = rows.flatMap(([term, text]) => {
      const wrapped = wrapText(text, Math.max(20, this.#width - indent));
      const head = `  ${this.#style.cyan(term)}`;
      const fits = term.length + 4 <= indent;
      const first = fits ? `${head}${' '.repeat(indent - 2 - term.length)}${wrapped.shift() ?? ''}` : head;
      return [first.trimEnd(), ...wrapped.map((line) => `${' '.repeat(indent)}${line}`)];
    });
    this.#blocks.push([this.#style.bold(`${title}:`), ...lines].join('\n'));
  }

  examples(rows: readonly Row[]): void {
    const lines = rows.flatMap(([line, what]) => [`  ${this.#style.dim(`# ${what}`)}`, `  ${line}`]);
    this.#blocks.push([this.#style.bold('Examples:'), ...lines].join('\n'));
  }

  text(): string {
    return this.#blocks.join('\n\n');
  }
}
