// `varve rules add`: a rule about how long datasets live.
import { ruleText } from '../../core/eviction/keep-rules.ts';
import { formatBytes } from '../../core/units.ts';
import { addRule } from '../../engine/keep-rules.ts';
import type { CommandRun } from '../command-table.ts';
import { withVarve } from '../session.ts';

export const run: CommandRun<'rules add'> = ({ arguments: given, options }, context) =>
  withVarve(context, async (varve) => {
    const rule = await addRule(varve.engine.context, {
      effect: given.effect as 'keep' | 'never-keep' | 'leaf-quota',
      name: options.name ?? null,
      userName: options.user ?? null,
      atLeastBytes: options['at-least'] ?? null,
      atMostBytes: options['at-most'] ?? null,
      quotaBytes: options.quota ?? null,
      createdBy: varve.userName,
    });
    context.output.result({ ...rule }, () => `rule ${rule.id}: ${ruleText(rule, formatBytes)}`);
    return 0;
  });
