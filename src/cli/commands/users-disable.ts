// `varve users disable`: shuts a user out.
import type { CommandRun } from '../command-table.ts';
import { withApi } from '../session.ts';

export const run: CommandRun<'users disable'> = ({ arguments: { user } }, context) =>
  withApi(context, async (api) => {
    const changed = await api.disableUser({ user });
    context.output.result({ ...changed }, () => `${changed.user} is shut out`);
    return 0;
  });
