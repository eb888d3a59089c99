// Pictures of figures as SVG that reads on light and dark pages: growth on log axes, and bars.

export interface Line {
  readonly name: string;
  /** Size and value, both positive. */
  readonly points: readonly (readonly [number, number])[];
}

export interface Bar {
  readonly name: string;
  readonly value: number;
  readonly label: string;
}

/** The colour of each engine on light and on dark pages. */
const colours: Readonly<Record<string, readonly [string, string]>> = {
  Varve: ['#0a7d5a', '#35c795'],
  make: ['#c2570c', '#f08c3f'],
  xargs: ['#6d737c', '#a4abb5'],
  sh: ['#6d737c', '#a4abb5'],
  'sh, digests, sync': ['#495561', '#c3ccd6'],
  Snakemake: ['#2f6fde', '#79a8ff'],
  redun: ['#a33ea1', '#d984d7'],
  Luigi: ['#977400', '#d9b441'],
  Nextflow: ['#0a869d', '#3fc4dc'],
  cwltool: ['#d43f6a', '#ff86a8'],
  Toil: ['#6d4ce8', '#a793ff'],
  Prefect: ['#5b7083', '#9db4c8'],
  Airflow: ['#8b5a2b', '#cf9a66'],
  DBOS: ['#47892b', '#8bd068'],
};
const others: readonly [string, string] = ['#777777', '#aaaaaa'];

/** Rules for the classes `cN` of the names, of which only those are written that a picture needs. */
function styleOf(names: readonly string[]): string {
  const rule = (index: number, colour: string): string => `.c${index}{color:${colour}}`;
  const of = (name: string): readonly [string, string] => colours[name] ?? others;
  const light = names.map((name, i) => rule(i, of(name)[0])).join('');
  const dark = names.map((name, i) => rule(i, of(name)[1])).join('');
  return (
    '<style>text{font:12px system-ui,sans-serif;fill:#39424d}.t{font-weight:600;font-size:14px;fill:#1b222b}.g{stroke:#e1e5ea}' +
    `.b{fill:#fff}.l{fill:none;stroke:currentColor}.f{fill:currentColor}.k{stroke:currentColor;opacity:.5}.n{paint-order:stroke;stroke:#fff;stroke-width:4px;stroke-linejoin:round}${light}` +
    '@media(prefers-color-scheme:dark){text{fill:#c4ccd6}.t{fill:#eef1f5}.g{stroke:#2c343d}.b{fill:#14181d}.n{stroke:#14181d}' +
    `${dark}}.n{fill:currentColor}</style>`
  );
}

function frame(
  size: readonly [number, number],
  title: string,
  names: readonly string[],
  body: string,
): string {
  const [width, height] = size;
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">` +
    `<title>${title}</title>${styleOf(names)}<rect class="b" width="${width}" height="${height}"/>` +
    `<text class="t" x="16" y="24">${title}</text>\n${body}\n</svg>\n`
  );
}

const said = (value: number): string =>
  value >= 1 ? value.toLocaleString('en') : String(Number(value.toPrecision(1)));

/** Heights moved apart so that none is nearer than `gap` to the next, between two bounds, each near its own. */
export function movedApart(
  heights: readonly number[],
  gap: number,
  [least, most]: readonly [number, number],
): number[] {
  const order = heights.map((y, i) => ({ y, i })).sort((a, b) => a.y - b.y);
  let floor = least;
  for (const each of order) {
    each.y = Math.max(each.y, floor);
    floor = each.y + gap;
  }
  let ceiling = most;
  for (const each of order.toReversed()) {
    each.y = Math.min(each.y, ceiling);
    ceiling = each.y - gap;
  }
  const placed: number[] = [];
  for (const { y, i } of order) placed[i] = y;
  return placed;
}

/** Powers of ten, with twos and fives between where they are few, that enclose the values. */
export function logTicks(values: readonly number[]): number[] {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const steps = most / least > 1000 ? [1] : [1, 2, 5];
  const all: number[] = [];
  for (let decade = Math.floor(Math.log10(least)); decade <= Math.ceil(Math.log10(most)); decade += 1)
    for (const step of steps) all.push(Number((step * 10 ** decade).toPrecision(3)));
  const first = all.findLastIndex((tick) => tick <= least * 1.001);
  const last = all.findIndex((tick) => tick >= most * 0.999);
  return all.slice(first, Math.max(last, first + 1) + 1);
}

/** Lines over sizes, both axes logarithmic; each name stands at the end of its line. */
export function growthPlot(title: string, unit: string, lines: readonly Line[]): string {
  const [width, height, left, right, top, bottom] = [760, 400, 76, 132, 44, 48];
  const all = lines.flatMap(({ points }) => points);
  const sizes = [...new Set(all.map(([size]) => size))].sort((a, b) => a - b);
  const ticks = logTicks(all.map(([, value]) => value));
  const along =
    (from: number, to: number, low: number, high: number) =>
    (value: number): number =>
      high === low ? (from + to) / 2 : from + (Math.log(value / low) / Math.log(high / low)) * (to - from);
  const x = along(left + 14, width - right, sizes[0]!, sizes.at(-1)!);
  const y = along(height - bottom, top, ticks[0]!, ticks.at(-1)!);
  const parts: string[] = [];
  for (const size of sizes) {
    const at = x(size).toFixed(1);
    parts.push(`<path class="g" d="M${at} ${top}V${height - bottom}"/>`);
    parts.push(`<text x="${at}" y="${height - bottom + 18}" text-anchor="middle">${said(size)}</text>`);
  }
  for (const value of ticks) {
    const at = y(value).toFixed(1);
    parts.push(`<path class="g" d="M${left} ${at}H${width - right}"/>`);
    parts.push(
      `<text x="${left - 8}" y="${(Number(at) + 4).toFixed(1)}" text-anchor="end">${said(value)} ${unit}</text>`,
    );
  }
  parts.push(
    `<text x="${(left + width - right) / 2}" y="${height - 10}" text-anchor="middle">actions</text>`,
  );
  const ends = lines.map(({ points }) => [x(points.at(-1)![0]), y(points.at(-1)![1])] as const);
  const labels: number[] = [];
  for (const column of new Set(ends.map(([at]) => at))) {
    const here = ends.flatMap(([at], i) => (at === column ? [i] : []));
    const apart = movedApart(
      here.map((i) => ends[i]![1]),
      15,
      [top + 6, height - bottom - 6],
    );
    here.forEach((i, n) => {
      labels[i] = apart[n]!;
    });
  }
  lines.forEach(({ name, points }, i) => {
    const at = points.map(([size, value]) => [x(size).toFixed(1), y(value).toFixed(1)] as const);
    const [endX, endY] = ends[i]!;
    const labelY = labels[i]!.toFixed(1);
    const labelX = endX + 24;
    const own = [
      `<path class="k" d="M${(endX + 5).toFixed(1)} ${endY.toFixed(1)}L${(labelX - 4).toFixed(1)} ${labelY}"/>`,
      `<path class="l" stroke-width="${name === 'Varve' ? 3 : 1.6}" d="M${at.map((point) => point.join(' ')).join('L')}"/>`,
      ...at.map(([cx, cy]) => `<circle class="f" cx="${cx}" cy="${cy}" r="${name === 'Varve' ? 4 : 3}"/>`),
      `<text class="n" x="${labelX.toFixed(1)}" y="${(labels[i]! + 4).toFixed(1)}">${name}</text>`,
    ];
    parts.push(`<g class="c${i}">${own.join('')}</g>`);
  });
  return frame(
    [width, height],
    title,
    lines.map(({ name }) => name),
    parts.join('\n'),
  );
}

/** Bars below each other, logarithmic when the longest is more than fifty times the shortest. */
export function barPlot(title: string, bars: readonly Bar[]): string {
  const [width, left, right, row] = [760, 150, 100, 26];
  const height = 42 + bars.length * row + 14;
  const [least, most] = [Math.min(...bars.map((b) => b.value)), Math.max(...bars.map((b) => b.value))];
  const logarithmic = most > 50 * least;
  const base = Math.log10(least) - 0.3;
  const share = (value: number): number =>
    logarithmic ? (Math.log10(value) - base) / (Math.log10(most) - base) : value / most;
  const body = bars.map(({ name, value, label }, i) => {
    const y = 42 + i * row;
    const length = Math.max(2, share(value) * (width - left - right));
    return (
      `<text x="${left - 10}" y="${y + 16}" text-anchor="end">${name}</text>` +
      `<rect class="f c${i}" x="${left}" y="${y + 3}" width="${length.toFixed(1)}" height="${row - 8}" rx="2"/>` +
      `<text x="${(left + length + 8).toFixed(1)}" y="${y + 16}">${label}</text>`
    );
  });
  return frame(
    [width, height],
    `${title}${logarithmic ? ' (log axis)' : ''}`,
    bars.map(({ name }) => name),
    body.join('\n'),
  );
}
