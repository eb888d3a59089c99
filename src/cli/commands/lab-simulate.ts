// `varve lab simulate`: histories against algorithms and budgets, pooled over families.
import { families } from '../../lab/families/index.ts';
import { familySources, type HistorySource } from '../../lab/history-source.ts';
import { boundMeansOf, meansOf, pooled } from '../../lab/summary.ts';
import type { CommandRun } from '../command-table.ts';
import { parametersOf } from '../lab-request.ts';
import { simulateAndShow } from '../simulate-and-show.ts';
import { renderTable } from '../terminal/table.ts';

export const run: CommandRun<'lab simulate'> = async ({ arguments: given, options }, context) => {
  const { output } = context;
  const files = given.history.map((path): HistorySource => ({ kind: 'file', path }));
  const names = familiesOf(options.family, files.length === 0, options.instance.length > 0);
  const seeds = Array.from({ length: options.seeds }, (_, i) => options.seed + i);
  const generated = familySources(names, seeds, (family) =>
    parametersOf(options.parameter, family === 'wfinst' ? options.instance : []),
  );
  await simulateAndShow([...files, ...generated], options, context, (results) => {
    const bounds = boundMeansOf(results);
    const columns = [
      { title: 'BUDGET' },
      { title: 'ALGORITHM' },
      ...['REGRET', 'IDEAL/ACTUAL', 'COST-HIT', 'BYTE-HIT', 'PER DECISION'].map((title) => ({
        title,
        align: 'right' as const,
      })),
    ];
    const cells = meansOf(results)
      .filter(({ family }) => family === pooled)
      .map((m) => [
        m.budget,
        m.algorithm,
        m.regret.toFixed(3),
        m.idealOverActual.toFixed(3),
        `${Math.round(m.costHitRate * 100)}%`,
        `${Math.round(m.byteHitRate * 100)}%`,
        `${(m.secondsPerDecision * 1000).toFixed(2)} ms`,
      ]);
    const optimum = bounds
      .filter(({ family }) => family === pooled)
      .map((b) => `${b.budget} ${b.lowerRegret.toFixed(3)} to ${b.upperRegret.toFixed(3)}`);
    return [
      ...renderTable(columns, cells, output.style, output.columns()),
      ...(optimum.length > 0 ? [`regret of the optimum: ${optimum.join(', ')}`] : []),
    ].join('\n');
  });
  return 0;
};

/** Families as asked for; without any and without files, all that need nothing further. */
function familiesOf(asked: readonly string[], byDefault: boolean, hasInstances: boolean): readonly string[] {
  if (asked.length > 0 || !byDefault) return asked;
  return Object.keys(families).filter((name) => name !== 'wfinst' || hasInstances);
}
