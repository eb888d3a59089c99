// `varve rules rm`: removes a rule.
import { removeRule } from '../../engine/keep-rules.ts';
import type { CommandRun } from '../command-table.ts';
import { cliErrors } from '../error-codes.ts';
import { withVarve } from '../session.ts';

export const run: CommandRun<'rules rm'> = ({ arguments: given }, context) =>
  withVarve(context, async (varve) => {
    const id = /^[0-9]{1,15}$/.test(given.rule) ? Number(given.rule) : Number.NaN;
    if (Number.isNaN(id))
      throw cliErrors.CLI_ARGUMENT_VALUE('rule', 'its number', JSON.stringify(given.rule));
    await removeRule(varve.engine.context, id);
    context.output.result({ rule: id }, () => `rule ${id} is removed`);
    return 0;
  });
