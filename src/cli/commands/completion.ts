// `varve completion <shell>`: a completion script made from the command table.
import type { CommandRun } from '../command-table.ts';
import { completionScript, type Shell } from '../completion-script.ts';

export const run: CommandRun<'completion'> = async ({ arguments: { shell } }, { output }) => {
  output.print(completionScript(shell as Shell));
  return undefined;
};
