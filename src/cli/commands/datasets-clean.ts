// `varve datasets clean`: removes what was given up and what crashed attempts left behind.
import type { CommandRun } from '../command-table.ts';
import { withApi } from '../session.ts';

export const run: CommandRun<'datasets clean'> = (_, context) =>
  withApi(context, async (api) => {
    const { deleted, attempts, orphans } = await api.cleanStorage({});
    context.output.result(
      { deleted, attempts, orphans },
      () => `${deleted} datasets deleted, leftovers of ${attempts} attempts and ${orphans} orphans removed`,
    );
    return 0;
  });
