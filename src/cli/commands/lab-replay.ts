// `varve lab replay`: one history under other algorithms and budgets, compared with the first of each.
import { budgetName } from '../../lab/simulate.ts';
import type { CommandRun } from '../command-table.ts';
import { simulateAndShow } from '../simulate-and-show.ts';
import { renderTable } from '../terminal/table.ts';

export const run: CommandRun<'lab replay'> = async ({ arguments: given, options }, context) => {
  const { output } = context;
  await simulateAndShow([{ kind: 'file', path: given.history }], options, context, ({ cells }) => {
    const base = cells[0]!.rows[0]!.totalSeconds;
    const columns = [
      { title: 'BUDGET' },
      { title: 'ALGORITHM' },
      ...['COMPUTE TIME', 'OF IT AGAIN', 'SAVED', 'IDEAL/ACTUAL'].map((title) => ({
        title,
        align: 'right' as const,
      })),
    ];
    const rows = cells.flatMap(({ cell, rows: measured }) =>
      measured.map((row) => [
        budgetName(cell.budget),
        row.algorithm,
        hours(row.totalSeconds),
        hours(row.recomputeSeconds),
        hours(base - row.totalSeconds),
        row.idealOverActual.toFixed(3),
      ]),
    );
    const { runs, datasets, unlimitedSeconds, bareSeconds } = cells[0]!.cell;
    return [
      `${runs} runs over ${datasets} datasets; ${hours(unlimitedSeconds)} with an unlimited store, ${hours(bareSeconds)} keeping only results`,
      ...renderTable(columns, rows, output.style, output.columns()),
    ].join('\n');
  });
  return 0;
};

function hours(seconds: number): string {
  const amount = Math.abs(seconds);
  const sign = seconds < -0.05 ? '-' : '';
  if (amount >= 3600) return `${sign}${(amount / 3600).toFixed(1)} h`;
  return amount >= 60 ? `${sign}${(amount / 60).toFixed(1)} min` : `${sign}${amount.toFixed(1)} s`;
}
