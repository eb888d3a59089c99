// `varve tokens add`: a token for programs of a user.
import type { CommandRun } from '../command-table.ts';
import { withApi } from '../session.ts';

export const run: CommandRun<'tokens add'> = ({ arguments: { user }, options }, context) =>
  withApi(context, async (api) => {
    const { name, role, project } = options;
    const token = await api.addToken({
      ...(user === undefined ? {} : { user }),
      ...(name === undefined ? {} : { name }),
      ...(role === undefined ? {} : { role }),
      ...(project === undefined ? {} : { project }),
      ...(options.for === undefined ? {} : { forMs: options.for }),
    });
    context.output.note(`token ${token.token} of ${token.user}; it is shown only now`);
    context.output.result({ ...token }, () => token.secret);
    return 0;
  });
