// Tables of the page, in Markdown, from points.
import { unsaid } from '../harness/compare.ts';
import { median } from '../harness/measure.ts';
import type { Point } from '../harness/results.ts';
import { clock, ratioOf } from '../harness/terminal.ts';

/** What a state of before means, as the page says it. */
export const scenarioNames: Readonly<Record<string, string>> = {
  cold: 'cold',
  reused: 'run again, nothing changed',
  leaf: 'one leaf changed',
  root: 'one root changed, equal output',
  last: 'intermediates deleted, last step changed',
};

/** A table whose first columns are words and whose others are figures, at the right. */
export function markdownTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  wordColumns = 1,
): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map((_, i) => (i < wordColumns ? '---' : '---:'))), ...rows.map(line)].join(
    '\n',
  );
}

/** The median, and how far the rounds lie from it: half of the way between the extremes, in per cent. */
export function spreadText(seconds: readonly number[]): string {
  const middle = median(seconds);
  if (seconds.length === 1) return clock(middle);
  const half = (Math.max(...seconds) - Math.min(...seconds)) / 2 / middle;
  return `${clock(middle)} ±${Math.round(half * 100)} %`;
}

function cell(point: Point | undefined, ours: Point | undefined): string {
  if (!point || point.missing === unsaid) return '–';
  if (point.seconds.length === 0) return point.missing ?? '–';
  const ratio = point === ours ? undefined : ratioOf(point, ours);
  const text =
    spreadText(point.seconds) + (ratio === undefined ? '' : ` (${ratio.toFixed(ratio < 10 ? 2 : 0)} ×)`);
  return ratio !== undefined && ratio < 1 ? `**${text}**` : text;
}

/** One row an engine, one column a scenario. What beats Varve is in bold. */
export function stateTable(points: readonly Point[], scenarios: readonly string[]): string {
  const engines = [...new Set(points.map(({ engine }) => engine))];
  const at = (engine: string, scenario: string): Point | undefined =>
    points.find((point) => point.engine === engine && point.scenario === scenario);
  const rows = engines
    .filter((engine) => scenarios.some((scenario) => (at(engine, scenario)?.seconds.length ?? 0) > 0))
    .map((engine) => [
      engine,
      ...scenarios.map((scenario) => cell(at(engine, scenario), at('Varve', scenario))),
    ]);
  return markdownTable(['', ...scenarios.map((name) => scenarioNames[name] ?? name)], rows);
}

/** One row an engine, one column a size. */
export function sizeTable(points: readonly Point[]): string {
  const engines = [...new Set(points.map(({ engine }) => engine))];
  const sizes = [...new Set(points.map(({ size }) => size))].sort((a, b) => a - b);
  const at = (engine: string, size: number): Point | undefined =>
    points.find((point) => point.engine === engine && point.size === size);
  const rows = engines
    .filter((engine) => sizes.some((size) => (at(engine, size)?.seconds.length ?? 0) > 0))
    .map((engine) => [engine, ...sizes.map((size) => cell(at(engine, size), at('Varve', size)))]);
  return markdownTable(['', ...sizes.map((size) => size.toLocaleString('en'))], rows);
}

/** Every point with its rounds, for those who want to see the spread. */
export function spreadTable(points: readonly Point[]): string {
  const rows = points
    .filter(({ seconds }) => seconds.length > 0)
    .map((point) => [
      `${point.workload} ${point.size.toLocaleString('en')}, ${point.scenario}: ${point.engine}`,
      clock(median(point.seconds)),
      `${clock(Math.min(...point.seconds))} – ${clock(Math.max(...point.seconds))}`,
      String(point.seconds.length),
      point.peakMegabytes > 0 ? `${point.peakMegabytes} MB` : '',
      Object.entries(point.more ?? {})
        .map(([name, value]) => `${name}: ${value.toLocaleString('en')}`)
        .join(', '),
    ]);
  return markdownTable(['', 'median', 'spread', 'rounds', 'peak memory', ''], rows);
}
