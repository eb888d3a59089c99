// `varve lab bound`: the ideal execution time.
import { existsSync } from 'node:fs';
import type { Json } from '../../core/json.ts';
import { formatBytes } from '../../core/units.ts';
import { bound } from '../../lab/bound.ts';
import { families } from '../../lab/families/index.ts';
import type { HistorySource } from '../../lab/history-source.ts';
import type { CommandRun } from '../command-table.ts';
import { budgetsOf, parametersOf } from '../lab-request.ts';
import { renderTable } from '../terminal/table.ts';

export const run: CommandRun<'lab bound'> = async ({ arguments: given, options }, { output }) => {
  const isFamily = Object.hasOwn(families, given.history) && !existsSync(given.history);
  const source: HistorySource = isFamily
    ? {
        kind: 'family',
        family: given.history,
        seed: options.seed,
        parameters: parametersOf(options.parameter, options.instance),
      }
    : { kind: 'file', path: given.history };
  const report = bound({ source, budgets: budgetsOf(options.budget) });
  output.result(JSON.parse(JSON.stringify(report)) as Json, () => {
    const seconds = (value: number | undefined) => (value === undefined ? '' : `${Math.round(value)} s`);
    const titles = ['BYTES', 'LOWER', 'UPPER', 'OPTIMUM', 'GAP'];
    const columns = [{ title: 'BUDGET' }, ...titles.map((title) => ({ title, align: 'right' as const }))];
    const rows = report.budgets.map((b) => [
      b.name,
      formatBytes(b.budgetBytes),
      seconds(b.lowerSeconds),
      seconds(b.upperSeconds),
      seconds(b.optimalSeconds),
      `${((b.upperSeconds / b.lowerSeconds - 1) * 100).toFixed(1)}%`,
    ]);
    return [
      `${report.runs} runs over ${report.datasets} datasets; an unlimited store would hold ${formatBytes(report.footprintBytes)}`,
      `${seconds(report.unlimitedSeconds)} with an unlimited store, ${seconds(report.bareSeconds)} keeping only results`,
      ...renderTable(columns, rows, output.style, output.columns()),
    ].join('\n');
  });
  return 0;
};
