// `varve help [command]`: the same pages as `--help`.

import type { CommandRun } from '../command-table.ts';
import { helpText } from '../help-text.ts';
import { parseCommandLine } from '../parse-command-line.ts';

export const run: CommandRun<'help'> = async ({ arguments: { command } }, { output }) => {
  const line = parseCommandLine([...command, '--help']);
  const about = line.kind === 'help' ? line.about : '';
  output.print(helpText(about, output.style, output.columns()));
  return undefined;
};
