// `varve store migrate`: the whole store into another database.
import type { CommandRun } from '../command-table.ts';
import { copyWithReport } from '../copy-report.ts';
import { cliErrors } from '../error-codes.ts';

export const run: CommandRun<'store migrate'> = async ({ options }, { config, output }) => {
  if (options.to === undefined)
    throw cliErrors.CLI_OPTION_VALUE('--to', 'the URL of the new store', 'nothing');
  await copyWithReport((await config()).config.store.url, options.to, output);
  output.note(`now set store.url to ${options.to.replace(/\/\/([^:@/]*):[^@/]*@/, '//$1@')}`);
  return 0;
};
