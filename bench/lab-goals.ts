// Measures the shipped algorithms on all families against the goals that the project set itself, on seeds that nothing was
// tuned on, and prints Markdown for docs/decisions.md. Options:
//   --seeds 20 --first 2001       how many seeds and which is the first (1000 to 1019 are the tuning seeds)
//   --instances FILE…             WfFormat files for the family wfinst, instead of examples/lab/instances
//   --families a,b --budgets 1,5  a part of the table
//   --report FILE                 also writes the HTML report
import { globSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { shippedAlgorithms, shippedModule } from '../src/decisions/shipped.ts';
import { families } from '../src/lab/families/index.ts';
import { familySources } from '../src/lab/history-source.ts';
import { renderReport } from '../src/lab/report/render-report.ts';
import { budgetName, type SimulationResults, simulate } from '../src/lab/simulate.ts';
import { boundMeansOf, compare, familiesOf, type Means, meansOf, pooled } from '../src/lab/summary.ts';

const { values: given } = parseArgs({
  options: {
    seeds: { type: 'string', default: '20' },
    first: { type: 'string', default: '2001' },
    instances: { type: 'string', multiple: true },
    families: { type: 'string', default: Object.keys(families).join(',') },
    budgets: { type: 'string', default: '1,2,5,10,20,50' },
    report: { type: 'string' },
  },
});
const instances = given.instances ?? globSync('examples/lab/instances/*.json').sort();
const seeds = Array.from({ length: Number(given.seeds) }, (_, i) => Number(given.first) + i);
const started = performance.now();
const results = await simulate({
  sources: familySources(given.families.split(','), seeds, (family) =>
    family === 'wfinst' ? { instances } : {},
  ),
  algorithms: [
    ...Object.keys(shippedAlgorithms).map((name) => ({ name, module: shippedModule(name)! })),
    { name: 'random', module: 'lab:random' },
  ],
  budgets: given.budgets.split(',').map((percent) => ({ share: Number(percent) / 100 })),
  traceBudget: given.report ? { share: 0.1 } : undefined,
  onProgress: (done, total) => process.stderr.write(`\r${done} of ${total} histories`),
});
process.stderr.write('\n');

const means = meansOf(results);
const budgets = results.budgets.map(budgetName);
const row = (cells: readonly (string | number)[]) => console.log(`| ${cells.join(' | ')} |`);
const head = (cells: readonly string[]) => {
  row(cells);
  row(cells.map((_, i) => (i === 0 ? '---' : '---:')));
};
const pick = (family: string, budget: string, algorithm: string): Means =>
  means.find((m) => m.family === family && m.budget === budget && m.algorithm === algorithm)!;

console.log(`\n### Regret, mean over ${familiesOf(results).length} families × ${seeds.length} seeds\n`);
head(['budget', 'bounds', ...results.algorithms]);
for (const budget of budgets) {
  const bounds = boundMeansOf(results).find((b) => b.family === pooled && b.budget === budget)!;
  const range = `${bounds.lowerRegret.toFixed(3)}–${bounds.upperRegret.toFixed(3)}`;
  row([budget, range, ...results.algorithms.map((name) => pick(pooled, budget, name).regret.toFixed(3))]);
}

for (const [measure, title] of [
  ['regret', 'Regret of hamr per family'],
  ['idealOverActual', 'Ideal / actual of hamr per family'],
] as const) {
  console.log(`\n### ${title}\n`);
  head(['family', ...budgets]);
  for (const family of [...familiesOf(results), pooled]) {
    row([family, ...budgets.map((budget) => pick(family, budget, 'hamr')[measure].toFixed(3))]);
  }
}

console.log('\n### hamr against the others, paired\n');
head(['budget', 'against', 'less regret', '95 % interval', 'wins', 'losses', 'ties', 'worst single history']);
for (const budget of budgets) {
  for (const other of ['gdsf', 'nectar', 'lru', 'most-commonly-used']) {
    const c = compare(results, 'hamr', other, budget);
    const percent = (share: number) => `${(share * 100).toFixed(1)} %`;
    const worst = `${c.worstTotalRatio > 1 ? '+' : ''}${((c.worstTotalRatio - 1) * 100).toFixed(1)} % time`;
    row([
      budget,
      other,
      percent(c.lessRegret),
      c.interval?.map(percent).join(' … ') ?? '–',
      c.wins,
      c.losses,
      c.ties,
      worst,
    ]);
  }
}
goals(results);
console.log(`\n${results.cells.length} cells in ${((performance.now() - started) / 1000).toFixed(0)} s`);
if (given.report) writeFileSync(given.report, renderReport(results, { command: 'node bench/lab-goals.ts' }));

function goals(all: SimulationResults): void {
  if (!budgets.includes('10 %') || !budgets.includes('5 %')) return;
  const at10 = pick(pooled, '10 %', 'hamr');
  const worstFamily = Math.min(
    ...familiesOf(all).map((family) => pick(family, '10 %', 'hamr').idealOverActual),
  );
  const against = (other: string, budget: string) => compare(all, 'hamr', other, budget);
  const worst = Math.max(...budgets.map((budget) => against('gdsf', budget).worstTotalRatio)) - 1;
  const table: [string, number, (value: number) => boolean][] = [
    ['ideal / actual at 10 % ≥ 0.92', at10.idealOverActual, (v) => v >= 0.92],
    ['regret at 10 % ≤ 0.080', at10.regret, (v) => v <= 0.08],
    ['lowest family at 10 %: ideal / actual ≥ 0.81', worstFamily, (v) => v >= 0.81],
    ['ideal / actual at 5 % ≥ 0.885', pick(pooled, '5 %', 'hamr').idealOverActual, (v) => v >= 0.885],
    ...budgets.map((budget): [string, number, (value: number) => boolean] => [
      `less regret than gdsf at ${budget} ≥ 0.20`,
      against('gdsf', budget).lessRegret,
      (v) => v >= 0.2,
    ]),
    ['most time above gdsf on a single history, any budget ≤ 0.05', worst, (v) => v <= 0.05],
    ...['lru', 'most-commonly-used'].map((other): [string, number, (value: number) => boolean] => [
      `less regret than ${other} at 10 % ≥ 0.70`,
      against(other, '10 %').lessRegret,
      (v) => v >= 0.7,
    ]),
  ];
  console.log('\n### Goals\n');
  head(['goal', 'measured', 'met']);
  for (const [goal, value, met] of table) row([goal, value.toFixed(3), met(value) ? 'yes' : 'no']);
}
