// `varve rules ls`: the rules about how long datasets live.
import type { CommandRun } from '../command-table.ts';
import { withApi } from '../session.ts';
import { showMoment } from '../terminal/moment.ts';
import { renderTable } from '../terminal/table.ts';

export const run: CommandRun<'rules ls'> = (_, context) =>
  withApi(context, async (api) => {
    const { items: rules } = await api.listRules({});
    const { output } = context;
    output.result(
      rules.map(({ text: _, ...rule }) => ({ ...rule })),
      () => {
        if (rules.length === 0) return 'no rules; the budget decides about everything that is not pinned';
        const cells = rules.map((rule) => [
          String(rule.id),
          rule.text,
          rule.createdBy,
          showMoment(rule.createdAt),
        ]);
        const columns = ['RULE', 'SAYS', 'BY', 'SINCE'].map((title) => ({ title }));
        return renderTable(columns, cells, output.style, output.columns()).join('\n');
      },
    );
    return 0;
  });
