// `varve rules rm`: removes a rule.
import type { CommandRun } from '../command-table.ts';
import { cliErrors } from '../error-codes.ts';
import { withApi } from '../session.ts';

export const run: CommandRun<'rules rm'> = ({ arguments: given }, context) =>
  withApi(context, async (api) => {
    const id = /^[0-9]{1,15}$/.test(given.rule) ? Number(given.rule) : Number.NaN;
    if (Number.isNaN(id))
      throw cliErrors.CLI_ARGUMENT_VALUE('rule', 'its number', JSON.stringify(given.rule));
    await api.removeRule({ rule: id });
    context.output.result({ rule: id }, () => `rule ${id} is removed`);
    return 0;
  });
