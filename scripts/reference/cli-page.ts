// docs/reference/cli.md: every command, from the command table.
import type { OptionTable } from '../../src/cli/command.ts';
import { type CommandName, commandSpec, commandTopics } from '../../src/cli/command-table.ts';
import { globalOptions } from '../../src/cli/global-options.ts';
import { optionRows, sentence, usageLine } from '../../src/cli/help-text.ts';
import { argumentUsage } from '../../src/cli/parse-command-line.ts';
import { errorKinds } from '../../src/core/errors.ts';
import { generatedFrom, markdownTable, type ReferencePage } from './reference-page.ts';

export const cliPage: ReferencePage = {
  path: 'docs/reference/cli.md',
  render: () =>
    [
      '# Commands',
      generatedFrom('src/cli/command-table.ts'),
      'Results go to stdout, everything else to stderr. `varve <command> --help` shows the same in the terminal.',
      '## Global options',
      optionTable(globalOptions),
      ...commandTopics.flatMap(({ title, rows }) => [
        `## ${title}`,
        ...(Object.keys(rows) as CommandName[]).map(commandSection),
      ]),
      '## Exit codes',
      exitCodes(),
    ].join('\n\n'),
};

function commandSection(name: CommandName): string {
  const spec = commandSpec(name);
  const args = (spec.arguments ?? []).map((argument) => [
    `\`${argumentUsage(argument)}\``,
    argument.choices ? `${argument.summary}: ${argument.choices.join(', ')}` : argument.summary,
  ]);
  return [
    `### varve ${name}`,
    sentence(spec.summary),
    `\`\`\`\n${usageLine(name, spec)}\n\`\`\``,
    ...(spec.description ? [spec.description] : []),
    ...(args.length > 0 ? [markdownTable(['argument', 'meaning'], args)] : []),
    ...(Object.keys(spec.options ?? {}).length > 0 ? [optionTable(spec.options ?? {})] : []),
    ['```sh', ...spec.examples.flatMap(({ line, what }) => [`# ${what}`, line]), '```'].join('\n'),
  ].join('\n\n');
}

function optionTable(table: OptionTable): string {
  return markdownTable(
    ['option', 'meaning'],
    optionRows(table).map(([term, text]) => [`\`${term}\``, text]),
  );
}

function exitCodes(): string {
  const rows = Object.entries(errorKinds).map(([kind, { exitCode, meaning }]): [number, string, string] => [
    exitCode,
    kind,
    meaning,
  ]);
  const sorted = rows.sort(([a], [b]) => a - b).map(([code, kind, meaning]) => [String(code), kind, meaning]);
  return markdownTable(['code', 'kind', 'meaning'], [['0', '', 'everything went well'], ...sorted]);
}
