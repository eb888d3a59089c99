// A line chart over budgets: one curve per algorithm and a band between lower and upper bound.
import { at, safe } from './markup.ts';
import { seriesClass } from './style.ts';

export interface Curve {
  readonly name: string;
  /** Position in the legend, which decides the colour; 0 is drawn last and thickest. */
  readonly series: number;
  readonly values: readonly number[];
}

export interface LineChart {
  /** What it shows, for those who cannot see it. */
  readonly label: string;
  readonly budgets: readonly string[];
  readonly curves: readonly Curve[];
  /** Lower and upper edge at each budget. */
  readonly band?: { readonly low: readonly number[]; readonly high: readonly number[] } | undefined;
  readonly from: number;
  readonly width: number;
  readonly height: number;
  readonly format: (value: number) => string;
}

const margin = { left: 38, right: 8, top: 10, bottom: 22 };

export function lineChart(chart: LineChart): string {
  const { width, height, budgets, curves, band } = chart;
  const highest = Math.max(...curves.flatMap(({ values }) => values), ...(band?.high ?? []));
  const ticks = niceTicks(chart.from, Math.max(highest, chart.from + 1e-6), height > 220 ? 5 : 4);
  const top = ticks.at(-1)!;
  const x = (i: number) =>
    margin.left + ((width - margin.left - margin.right) * (i + 0.5)) / Math.max(1, budgets.length);
  const y = (value: number) =>
    height -
    margin.bottom -
    ((height - margin.top - margin.bottom) * (value - chart.from)) / (top - chart.from);
  const points = (values: readonly number[]) => values.map((value, i) => `${at(x(i))},${at(y(value))}`);
  const parts: string[] = [];
  for (const tick of ticks) {
    parts.push(
      `<line class="rule" x1="${margin.left}" x2="${width - margin.right}" y1="${at(y(tick))}" y2="${at(y(tick))}"/>`,
      `<text x="${margin.left - 6}" y="${at(y(tick) + 4)}" text-anchor="end">${chart.format(tick)}</text>`,
    );
  }
  budgets.forEach((budget, i) => {
    parts.push(`<text x="${at(x(i))}" y="${height - 6}" text-anchor="middle">${safe(budget)}</text>`);
  });
  if (band) {
    const outline = [...points(band.high), ...points(band.low).reverse()];
    parts.push(`<polygon class="band" points="${outline.join(' ')}"/>`);
  }
  for (const { name, series, values } of [...curves].sort((a, b) => b.series - a.series)) {
    const style = seriesClass(series);
    const first = series === 0 ? ' first' : '';
    parts.push(`<polyline class="curve ${style}${first}" points="${points(values).join(' ')}"/>`);
    values.forEach((value, i) => {
      const title = `${safe(name)}, ${safe(budgets[i]!)}: ${chart.format(value)}`;
      const radius = series === 0 ? 3.4 : 2.4;
      parts.push(
        `<circle class="dot ${style}" cx="${at(x(i))}" cy="${at(y(value))}" r="${radius}"><title>${title}</title></circle>`,
      );
    });
  }
  return `<svg viewBox="0 0 ${width} ${height}" role="img" aria-label="${safe(chart.label)}">${parts.join('')}</svg>`;
}

/** Round numbers from `from` to at least `to`. */
export function niceTicks(from: number, to: number, count: number): number[] {
  const rough = (to - from) / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((size) => size >= rough)!;
  const ticks: number[] = [];
  for (let i = 0; ; i += 1) {
    ticks.push(from + i * step);
    if (from + i * step >= to) return ticks;
  }
}
