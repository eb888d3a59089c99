// docs/benchmarks.md and its pictures as text, from results: a pure function, so that a test can compare the page with the figures it was made of.
import { median } from '../harness/measure.ts';
import {
  hasPoints,
  type PartResult,
  type Point,
  type PrintedResult,
  type Result,
} from '../harness/results.ts';
import { clock } from '../harness/terminal.ts';
import { barPlot, growthPlot, type Line } from './plot.ts';
import { remarks } from './remarks.ts';
import { markdownTable, sizeTable, spreadTable, stateTable } from './tables.ts';

export interface Page {
  readonly text: string;
  /** File names in docs/pictures and what is in them. */
  readonly pictures: Readonly<Record<string, string>>;
}

const shapes: Readonly<Record<string, string>> = {
  fan: 'Fan-out: independent actions',
  chain: 'Chain: each after the one before',
  layers: 'Layers: up to twenty rows, each action after two of the row above',
  diamond: 'Diamond: one, many, one',
};
const states = ['cold', 'reused', 'leaf', 'root', 'last'];

const measured = (points: readonly Point[]): Point[] => points.filter(({ seconds }) => seconds.length > 0);

function linesOf(points: readonly Point[], value: (point: Point) => number): Line[] {
  const engines = [...new Set(points.map(({ engine }) => engine))];
  return engines
    .map((name) => ({
      name,
      points: points
        .filter(({ engine }) => engine === name)
        .map((point): [number, number] => [point.size, value(point)])
        .filter(([, y]) => y > 0)
        .sort(([a], [b]) => a - b),
    }))
    .filter((line) => line.points.length > 0);
}

function shapeSection(shape: string, points: readonly Point[], pictures: Record<string, string>): string[] {
  const cold = measured(points).filter(({ scenario }) => scenario === 'cold');
  if (cold.length === 0) return [];
  const name = `bench-${shape}`;
  const title = shapes[shape] ?? shape;
  pictures[`${name}-time.svg`] = growthPlot(
    `${shape}, cold: seconds against actions`,
    's',
    linesOf(cold, ({ seconds }) => median(seconds)),
  );
  pictures[`${name}-memory.svg`] = growthPlot(
    `${shape}, cold: largest process against actions`,
    'MB',
    linesOf(cold, ({ peakMegabytes }) => peakMegabytes),
  );
  const out = [
    `### ${title}`,
    '',
    `![time against size](pictures/${name}-time.svg)`,
    '',
    `![memory against size](pictures/${name}-memory.svg)`,
    '',
    'Cold, by number of actions; in brackets the ratio to Varve, in bold what is faster than Varve:',
    '',
    sizeTable(points.filter(({ scenario }) => scenario === 'cold')),
    '',
  ];
  for (const size of [...new Set(points.map((point) => point.size))].sort((a, b) => a - b)) {
    const here = points.filter((point) => point.size === size);
    if (!measured(here).some(({ scenario }) => scenario !== 'cold')) continue;
    out.push(
      `${size.toLocaleString('en')} actions, by what was there before:`,
      '',
      stateTable(here, states),
      '',
    );
  }
  return out;
}

function graphsSection(result: PartResult, pictures: Record<string, string>): string[] {
  return Object.keys(shapes).flatMap((shape) =>
    shapeSection(
      shape,
      result.points.filter(({ workload }) => workload === shape),
      pictures,
    ),
  );
}

function barsSection(name: string, result: PartResult, pictures: Record<string, string>): string[] {
  const points = measured(result.points);
  const bars = points.map((point) => ({
    name: name === 'budget' ? point.scenario : point.engine,
    value: median(point.seconds),
    label: clock(median(point.seconds)),
  }));
  if (bars.length === 0) return [];
  pictures[`bench-${name}.svg`] = barPlot(`${points[0]!.workload}: seconds`, bars);
  return [`![${result.title}](pictures/bench-${name}.svg)`, '', spreadTable(points), ''];
}

function plansSection(result: PartResult, pictures: Record<string, string>): string[] {
  const points = measured(result.points);
  pictures['bench-plans-time.svg'] = growthPlot(
    'planning, start-up included: seconds against actions',
    's',
    linesOf(points, ({ seconds }) => median(seconds)),
  );
  pictures['bench-plans-memory.svg'] = growthPlot(
    'planning: largest process against actions',
    'MB',
    linesOf(points, ({ peakMegabytes }) => peakMegabytes),
  );
  return [
    '![time of planning](pictures/bench-plans-time.svg)',
    '',
    '![memory of planning](pictures/bench-plans-memory.svg)',
    '',
    sizeTable(result.points),
    '',
  ];
}

const sections: Readonly<Record<string, (result: PartResult, pictures: Record<string, string>) => string[]>> =
  {
    graphs: graphsSection,
    plans: plansSection,
    data: (result, pictures) => barsSection('data', result, pictures),
    budget: (result, pictures) => barsSection('budget', result, pictures),
  };

function printedSection({ printed }: PrintedResult): string[] {
  return ['```text', ...printed.map((line) => line.trimEnd()), '```', ''];
}

function measuredBy({ command, machine, measuredAt }: Result): string {
  const load =
    machine.loadAverage === undefined
      ? ''
      : `, at a load average of ${machine.loadAverage} when it ended, the benchmark's own part included`;
  return `Measured by \`${command}\`, ${measuredAt.slice(0, 16).replace('T', ' ')} UTC${load}.`;
}

function machineLines(results: readonly Result[]): string[] {
  const latest = results.toSorted((a, b) => a.measuredAt.localeCompare(b.measuredAt)).at(-1)!;
  const { processor, cores, memoryGigabytes, system, fileSystem, node } = latest.machine;
  return [
    `${cores} cores (${processor}), ${memoryGigabytes} GB, ${fileSystem}, ${system}, Node ${node}; last measured ${latest.measuredAt.slice(0, 10)}.`,
  ];
}

function engineTable(results: readonly Result[]): string {
  const versions = new Map<string, string>();
  const notes = new Map<string, string>();
  for (const result of results.filter(hasPoints)) {
    for (const [name, version] of Object.entries(result.versions)) versions.set(name, version);
    for (const [name, note] of Object.entries(result.notes)) notes.set(name, note);
  }
  const rows = [...versions].map(([name, version]) => [name, version, notes.get(name) ?? '']);
  return markdownTable(['engine', 'version', 'how it is used'], rows, 3);
}

/** The page of all results that there are. */
export function renderPage(results: readonly Result[]): Page {
  const pictures: Record<string, string> = {};
  const order = ['graphs', 'profile', 'data', 'plans', 'budget'];
  const rank = (part: string): number => (order.includes(part) ? order.indexOf(part) : order.length);
  const body = results
    .toSorted((a, b) => rank(a.part) - rank(b.part) || a.part.localeCompare(b.part))
    .flatMap((result) => [
      `## ${result.title}`,
      '',
      ...(remarks[result.part] ?? []).flatMap((paragraph) => [paragraph, '']),
      ...(hasPoints(result) ? (sections[result.part]?.(result, pictures) ?? []) : printedSection(result)),
      measuredBy(result),
      '',
    ]);
  const text = [
    '<!-- made by `npm run bench -- report` from docs/benchmarks.json; change bench/report, not this page -->',
    '# Benchmarks',
    '',
    ...remarks.page!.flatMap((paragraph) => [paragraph, '']),
    ...machineLines(results),
    '',
    engineTable(results),
    '',
    ...body,
  ];
  return { text: `${text.join('\n').trimEnd()}\n`, pictures };
}
