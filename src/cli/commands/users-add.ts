// `varve users add`: a user of the server.
import type { CommandRun } from '../command-table.ts';
import { withApi } from '../session.ts';

export const run: CommandRun<'users add'> = ({ arguments: { user }, options }, context) =>
  withApi(context, async (api) => {
    const changed = await api.putUser({
      user,
      ...(options.role === undefined ? {} : { role: options.role }),
      ...(options.project.length === 0 ? {} : { projects: [...options.project] }),
    });
    const projects = changed.projects.length === 0 ? '' : ` in ${changed.projects.join(', ')}`;
    context.output.result({ ...changed }, () => `${changed.user} is ${changed.role}${projects}`);
    return 0;
  });
