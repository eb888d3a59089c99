// `varve rules ls`: the rules about how long datasets live.
import { ruleText } from '../../core/eviction/keep-rules.ts';
import { formatBytes } from '../../core/units.ts';
import type { CommandRun } from '../command-table.ts';
import { withVarve } from '../session.ts';
import { showMoment } from '../terminal/moment.ts';
import { renderTable } from '../terminal/table.ts';

export const run: CommandRun<'rules ls'> = (_, context) =>
  withVarve(context, async (varve) => {
    const rules = await varve.store.view.keepRules();
    const { output } = context;
    output.result(
      rules.map((rule) => ({ ...rule })),
      () => {
        if (rules.length === 0) return 'no rules; the budget decides about everything that is not pinned';
        const cells = rules.map((rule) => [
          String(rule.id),
          ruleText(rule, formatBytes),
          rule.createdBy,
          showMoment(rule.createdAt),
        ]);
        const columns = ['RULE', 'SAYS', 'BY', 'SINCE'].map((title) => ({ title }));
        return renderTable(columns, cells, output.style, output.columns()).join('\n');
      },
    );
    return 0;
  });
