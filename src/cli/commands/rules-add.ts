// `varve rules add`: a rule about how long datasets live.
import type { CommandRun } from '../command-table.ts';
import { withApi } from '../session.ts';

export const run: CommandRun<'rules add'> = ({ arguments: given, options }, context) =>
  withApi(context, async (api) => {
    const { name, user, quota } = options;
    const [atLeast, atMost] = [options['at-least'], options['at-most']];
    const { text, ...rule } = await api.addRule({
      effect: given.effect as 'keep' | 'never-keep' | 'leaf-quota',
      ...(name === undefined ? {} : { name }),
      ...(user === undefined ? {} : { user }),
      ...(atLeast === undefined ? {} : { atLeastBytes: atLeast }),
      ...(atMost === undefined ? {} : { atMostBytes: atMost }),
      ...(quota === undefined ? {} : { quotaBytes: quota }),
    });
    context.output.result({ ...rule }, () => `rule ${rule.id}: ${text}`);
    return 0;
  });
