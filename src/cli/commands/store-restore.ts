// `varve store restore`: a backup into the configured store.
import { resolve } from 'node:path';
import type { CommandRun } from '../command-table.ts';
import { copyWithReport } from '../copy-report.ts';

export const run: CommandRun<'store restore'> = async ({ arguments: given }, { config, output }) => {
  await copyWithReport(`sqlite:${resolve(given.file)}`, (await config()).config.store.url, output);
  return 0;
};
