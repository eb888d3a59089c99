// `varve history compact`: drops the details of old runs, and forgets what was deleted long ago and led to nothing.
import type { CommandRun } from '../command-table.ts';
import { withApi } from '../session.ts';

export const run: CommandRun<'history compact'> = ({ options }, context) =>
  withApi(context, async (api) => {
    const age = options['older-than'];
    const { runs, datasets } = await api.compactHistory(age === undefined ? {} : { olderThanMs: age });
    context.output.result(
      { runs, datasets },
      () =>
        `the details of ${runs} ${runs === 1 ? 'run' : 'runs'} were dropped, ${datasets} deleted ${datasets === 1 ? 'dataset' : 'datasets'} forgotten`,
    );
    return 0;
  });
