// `varve config path`: where the configuration file is, or would be.
import { configFilePath } from '../../config/load-config.ts';
import type { CommandRun } from '../command-table.ts';

export const run: CommandRun<'config path'> = async (_invocation, { environment, globals, home, output }) => {
  const { path } = configFilePath(environment, globals, home);
  output.result({ path }, () => path);
  return undefined;
};
