// `varve version`: what to write into a bug report.
import { version } from '../../version.ts';
import type { CommandRun } from '../command-table.ts';

export const run: CommandRun<'version'> = async (_invocation, { output }) => {
  const facts = {
    varve: version,
    node: process.versions.node,
    platform: process.platform,
    arch: process.arch,
  };
  output.result(facts, () => `varve ${facts.varve}, node ${facts.node}, ${facts.platform} ${facts.arch}`);
  return undefined;
};
