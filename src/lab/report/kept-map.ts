// A picture of what an algorithm kept: time to the right, birth of the datasets upwards, darker where more is still there.
import type { KeptTrace } from '../kept-trace.ts';
import { safe } from './markup.ts';

const cell = 2;
const levels = 8;

export function keptMap(trace: KeptTrace): string {
  const width = trace.columns * cell;
  const height = trace.rows * cell;
  const strokes: string[][] = Array.from({ length: levels + 1 }, () => []);
  for (let row = 0; row < trace.rows; row += 1) {
    const y = height - row * cell - cell / 2;
    for (let column = 0; column < trace.columns; ) {
      const level = levelOf(trace, column, row);
      let end = column + 1;
      while (end < trace.columns && levelOf(trace, end, row) === level) end += 1;
      if (level > 0) strokes[level]!.push(`M${column * cell} ${y}h${(end - column) * cell}`);
      column = end;
    }
  }
  const paths = strokes.map((list, level) =>
    list.length === 0 ? '' : `<path opacity="${((level / levels) ** 1.4).toFixed(2)}" d="${list.join('')}"/>`,
  );
  return (
    `<svg viewBox="-1 -1 ${width + 2} ${height + 16}" role="img" aria-label="What ${safe(trace.algorithm)} kept over time, ${safe(trace.family)}">` +
    `<rect x="-.5" y="-.5" width="${width + 1}" height="${height + 1}" fill="var(--panel)" stroke="var(--line)" stroke-width=".6"/>` +
    `<g class="kept-cells" stroke-width="${cell}">${paths.join('')}</g>` +
    `<text x="0" y="${height + 11}" style="font-size:9px">run 1</text>` +
    `<text x="${width}" y="${height + 11}" text-anchor="end" style="font-size:9px">run ${trace.runs}</text></svg>`
  );
}

/** The share kept in steps that tell small shares apart; 0 where nothing is. */
function levelOf(trace: KeptTrace, column: number, row: number): number {
  const share = trace.shares[column * trace.rows + row]!;
  return share <= 0.004 ? 0 : Math.max(1, Math.round(Math.sqrt(share) * levels));
}
