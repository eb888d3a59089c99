// `varve lab simulate`: histories against algorithms and budgets, pooled over families.
import { families } from '../../lab/families/index.ts';
import { familySources, type HistorySource } from '../../lab/history-source.ts';
import { budgetName, type SimulationResults } from '../../lab/simulate.ts';
import { boundMeansOf, compare, meansOf, pooled } from '../../lab/summary.ts';
import type { CommandRun } from '../command-table.ts';
import { parametersOf } from '../lab-request.ts';
import type { Output } from '../output.ts';
import { showHours, simulateAndShow } from '../simulate-and-show.ts';
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
    const optimum = boundMeansOf(results)
      .filter(({ family }) => family === pooled)
      .map((b) => `${b.budget} ${b.lowerRegret.toFixed(3)} to ${b.upperRegret.toFixed(3)}`);
    return [
      ...measures(results, output),
      ...(optimum.length > 0 ? [`regret of the optimum: ${optimum.join(', ')}`] : []),
      ...comparisons(results, output),
    ].join('\n');
  });
  return 0;
};

/** Every measure, pooled over the families. */
function measures(results: SimulationResults, output: Output): string[] {
  const rows = meansOf(results)
    .filter(({ family }) => family === pooled)
    .map((m) => [
      m.budget,
      m.algorithm,
      m.regret.toFixed(3),
      m.idealOverActual.toFixed(3),
      showHours(m.totalSeconds),
      percent(m.costHitRate, 0),
      percent(m.byteHitRate, 0),
      `${(m.secondsPerDecision * 1000).toFixed(2)} ms`,
    ]);
  const titles = ['REGRET', 'IDEAL/ACTUAL', 'COMPUTE TIME', 'COST-HIT', 'BYTE-HIT', 'PER DECISION'];
  return renderTable(headings(['BUDGET', 'ALGORITHM'], titles), rows, output.style, output.columns());
}

/** The first algorithm against each other one, on the same histories. */
function comparisons(results: SimulationResults, output: Output): string[] {
  const [first, ...others] = results.algorithms;
  if (first === undefined || others.length === 0) return [];
  const rows = results.budgets.map(budgetName).flatMap((budget) =>
    others.map((other) => {
      const c = compare(results, first, other, budget);
      const interval = c.interval?.map((share) => percent(share, 1)).join(' to ') ?? '–';
      return [budget, other, percent(c.lessRegret, 1), interval, `${c.wins}/${c.losses}/${c.ties}`];
    }),
  );
  const titles = ['LESS REGRET', '95% INTERVAL', 'WINS/LOSSES/TIES'];
  return [
    '',
    `${first} against the others, paired on the same histories:`,
    ...renderTable(headings(['BUDGET', 'AGAINST'], titles), rows, output.style, output.columns()),
  ];
}

function headings(words: readonly string[], numbers: readonly string[]) {
  return [
    ...words.map((title) => ({ title })),
    ...numbers.map((title) => ({ title, align: 'right' as const })),
  ];
}

function percent(share: number, digits: number): string {
  return `${(share * 100).toFixed(digits)}%`;
}

/** Families as asked for; without any and without files, all that need nothing further. */
function familiesOf(asked: readonly string[], byDefault: boolean, hasInstances: boolean): readonly string[] {
  if (asked.length > 0 || !byDefault) return asked;
  return Object.keys(families).filter((name) => name !== 'wfinst' || hasInstances);
}
