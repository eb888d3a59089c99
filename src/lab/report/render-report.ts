// The report: one HTML file without any reference to the outside, for the screen and for paper.
import { budgetName, type SimulationResults } from '../simulate.ts';
import {
  type BoundMeans,
  boundMeansOf,
  compare,
  familiesOf,
  type Means,
  meansOf,
  pooled,
} from '../summary.ts';
import { keptMap } from './kept-map.ts';
import { lineChart } from './line-chart.ts';
import { bytes, percent, safe, share } from './markup.ts';
import { seriesClass, styleSheet } from './style.ts';
import { comparisonTable, familyTable, measuresTable } from './tables.ts';

export interface ReportOptions {
  readonly title?: string | undefined;
  /** Printed at the foot: how the figures can be made again. */
  readonly command?: string | undefined;
}

/** The first algorithm of the results is the one that the others are compared with. */
export function renderReport(results: SimulationResults, options: ReportOptions = {}): string {
  const title = options.title ?? 'What to give up: decision algorithms compared';
  const view = viewOf(results);
  const body = [
    head(title, view),
    regretSection(view),
    familySection(view),
    timeSection(view),
    keptSection(view),
    tableSection(view),
    footer(view, options),
  ].join('\n');
  return `<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>${safe(title)}</title><style>${styleSheet}</style></head><body><main>\n${body}\n</main></body></html>\n`;
}

interface View {
  readonly results: SimulationResults;
  readonly means: readonly Means[];
  readonly bounds: readonly BoundMeans[];
  readonly families: readonly string[];
  readonly budgets: readonly string[];
}

function viewOf(results: SimulationResults): View {
  return {
    results,
    means: meansOf(results),
    bounds: boundMeansOf(results),
    families: familiesOf(results),
    budgets: results.budgets.map(budgetName),
  };
}

function head(title: string, { results, families, budgets, means }: View): string {
  const [first] = results.algorithms;
  const histories = new Set(results.cells.map(({ cell }) => cell.history)).size;
  const middle = middleBudget(budgets);
  const own = means.find((m) => m.family === pooled && m.budget === middle && m.algorithm === first);
  const facts: [string, string][] = [
    [String(histories), 'histories'],
    [String(families.length), families.length === 1 ? 'family' : 'families'],
    [String(results.algorithms.length), 'algorithms'],
    [String(budgets.length), 'budgets'],
    [share(own?.regret ?? 0), `regret of ${first} at ${middle}`],
    [share(own?.idealOverActual ?? 0), `ideal / actual of ${first} at ${middle}`],
  ];
  const list = facts.map(([value, words]) => `<div><b>${value}</b><span>${safe(words)}</span></div>`);
  return `<h1>${safe(title)}</h1><p class="soft">Every algorithm replays the same histories under the same budgets. A budget is a share of what an unlimited store would hold besides results. Regret is the share of avoidable recomputation that was not avoided: 0 is an unlimited store, 1 keeps nothing but results.</p><div class="facts">${list.join('')}</div>`;
}

function regretSection(view: View): string {
  return `<h2>Regret over budget</h2><p class="soft">Mean over the families; lower is better.</p>${legend(view)}<div class="wide">${regretChart(view, pooled, 960, 320)}</div>`;
}

function familySection(view: View): string {
  const charts = view.families.map(
    (family) =>
      `<figure><figcaption>${safe(family)}</figcaption>${regretChart(view, family, 300, 190)}</figure>`,
  );
  return `<h2>Regret over budget, per family</h2>${legend(view)}<div class="grid">${charts.join('')}</div>`;
}

function timeSection(view: View): string {
  const charts = [pooled, ...view.families].map((family) => {
    const picked = curves(view, family, (m) => 1 / m.unlimitedOverActual);
    const chart = lineChart({
      label: `Compute time over budget, ${family}`,
      budgets: view.budgets,
      curves: picked,
      from: 1,
      width: 300,
      height: 190,
      format: (value) => `${Number(value.toFixed(2))}×`,
    });
    return `<figure><figcaption>${safe(family)}</figcaption>${chart}</figure>`;
  });
  return `<h2>Compute time over budget</h2><p class="soft">Total compute time as a multiple of what an unlimited store would need.</p>${legend(view, false)}<div class="grid">${charts.join('')}</div>`;
}

function keptSection({ results, families }: View): string {
  const { traces } = results;
  if (traces.length === 0) return '';
  const sections = families.flatMap((family) => {
    const own = traces.filter((trace) => trace.family === family);
    if (own.length === 0) return [];
    const maps = own.map(
      (trace) => `<figure><figcaption>${safe(trace.algorithm)}</figcaption>${keptMap(trace)}</figure>`,
    );
    return [
      `<section class="family"><h3>${safe(family)} <span class="soft">budget ${bytes(own[0]!.budgetBytes)}</span></h3><div class="kept">${maps.join('')}</div></section>`,
    ];
  });
  return `<h2>What was kept over time</h2><p class="soft">One history per family. Time runs to the right; a dataset’s birth is its height, the youngest on the diagonal. The darker a field, the larger the share of the bytes born then that is still there.</p>${sections.join('')}`;
}

function tableSection(view: View): string {
  const { results, means, budgets } = view;
  const middle = middleBudget(budgets);
  const [first, ...others] = results.algorithms;
  const comparisons = budgets.flatMap((budget) =>
    others.map((other) => compare(results, first!, other, budget)),
  );
  const rest = budgets.map(
    (budget) =>
      `<details${budget === middle ? ' open' : ''}><summary>Budget ${safe(budget)}</summary>${measuresTable(means, budget)}<p class="caption">Regret per family</p>${familyTable(means, budget, 'regret', results.algorithms)}<p class="caption">Ideal / actual per family</p>${familyTable(means, budget, 'idealOverActual', results.algorithms)}</details>`,
  );
  return `<h2>Tables</h2>${rest.join('')}<h2>${safe(first!)} against the others</h2><p class="soft">Paired on the same histories; intervals from a bootstrap within families. The last column is the single history on which it did worst.</p>${comparisonTable(comparisons)}`;
}

function regretChart(view: View, family: string, width: number, height: number): string {
  const bounds = view.budgets.map((budget) =>
    view.bounds.find((b) => b.family === family && b.budget === budget),
  );
  const known = bounds.filter((b) => b !== undefined);
  const band =
    known.length === bounds.length
      ? { low: known.map((b) => b.lowerRegret), high: known.map((b) => b.upperRegret) }
      : undefined;
  const format = (value: number) => percent(value, 0);
  return lineChart({
    label: `Regret over budget, ${family}`,
    budgets: view.budgets,
    curves: curves(view, family, (m) => m.regret),
    band,
    from: 0,
    width,
    height,
    format,
  });
}

function curves(view: View, family: string, value: (means: Means) => number) {
  return view.results.algorithms.map((name, series) => ({
    name,
    series,
    values: view.budgets.map((budget) => {
      const found = view.means.find(
        (m) => m.family === family && m.budget === budget && m.algorithm === name,
      );
      return found ? value(found) : 0;
    }),
  }));
}

function legend({ results, bounds }: View, withBand = true): string {
  const entries = results.algorithms.map(
    (name, i) =>
      `<span class="${seriesClass(i)}"><i></i>${i === 0 ? `<b>${safe(name)}</b>` : safe(name)}</span>`,
  );
  if (withBand && bounds.length > 0) {
    entries.push('<span><i class="band"></i>optimum lies here (lower to upper bound)</span>');
  }
  return `<div class="legend">${entries.join('')}</div>`;
}

function middleBudget(budgets: readonly string[]): string {
  return budgets.find((budget) => budget === '10 %') ?? budgets[Math.floor(budgets.length / 2)] ?? '';
}

function footer(view: View, { command }: ReportOptions): string {
  const made = command ? ` Made by <code>${safe(command)}</code>.` : '';
  return `<footer>Histories: ${safe(historiesOf(view))}. Ideal is the best schedule known to fit the budget (an upper bound on the optimum). Decision times depend on the machine, everything else only on histories and seeds.${made}</footer>`;
}

/** What was replayed, so that it can be replayed again: families with their seeds, or files. */
function historiesOf({ results, families }: View): string {
  const texts = families.map((family) => {
    const own = results.cells.map(({ cell }) => cell).filter((cell) => cell.family === family);
    const seeds = [...new Set(own.flatMap(({ seed }) => seed ?? []))].sort((a, b) => a - b);
    const [first, last] = [seeds[0], seeds.at(-1)];
    if (first === undefined || last === undefined) return family;
    const range =
      last - first === seeds.length - 1 && last > first ? `${first} to ${last}` : seeds.join(', ');
    return `${family} (${seeds.length === 1 ? 'seed' : 'seeds'} ${range})`;
  });
  return texts.join(', ');
}
