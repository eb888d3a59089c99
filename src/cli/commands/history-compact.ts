// `varve history compact`: drops the details of old runs.
import type { CommandRun } from '../command-table.ts';
import { withApi } from '../session.ts';

export const run: CommandRun<'history compact'> = ({ options }, context) =>
  withApi(context, async (api) => {
    const age = options['older-than'];
    const { runs } = await api.compactHistory(age === undefined ? {} : { olderThanMs: age });
    context.output.result({ runs }, () => `the details of ${runs} runs were dropped`);
    return 0;
  });
