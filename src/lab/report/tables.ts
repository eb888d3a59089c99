// Tables of the report.
import type { Comparison, Means } from '../summary.ts';
import { pooled } from '../summary.ts';
import { percent, safe, seconds, share } from './markup.ts';

type Row = readonly string[];

interface TableRow {
  readonly cells: Row;
  /** Stands below the rows that it sums up. */
  readonly sum?: boolean;
  /** Begins a group of rows. */
  readonly group?: boolean;
}

/** Columns of numbers are aligned to the right; the first `texts` columns are words. */
export function table(head: Row, rows: readonly TableRow[], texts = 1): string {
  const line = (cells: Row, tag: 'th' | 'td') =>
    cells.map((cell, i) => `<${tag}${i < texts ? ' class="text"' : ''}>${cell}</${tag}>`).join('');
  const body = rows.map(({ cells, sum, group }) => {
    const style = sum ? ' class="sum"' : group ? ' class="group"' : '';
    return `<tr${style}>${line(cells, 'td')}</tr>`;
  });
  return `<div class="scroll"><table><thead><tr>${line(head, 'th')}</tr></thead><tbody>${body.join('')}</tbody></table></div>`;
}

/** One algorithm per row with every measure, pooled over the families, at one budget. */
export function measuresTable(means: readonly Means[], budget: string): string {
  const rows = means.filter((m) => m.budget === budget && m.family === pooled);
  return table(
    [
      'algorithm',
      'regret',
      'ideal / actual',
      'unlimited / actual',
      'cost-hit',
      'byte-hit',
      'compute time',
      'per decision',
    ],
    rows.map((m) => ({
      cells: [
        safe(m.algorithm),
        share(m.regret),
        share(m.idealOverActual),
        share(m.unlimitedOverActual),
        percent(m.costHitRate),
        percent(m.byteHitRate),
        seconds(m.totalSeconds),
        seconds(m.secondsPerDecision),
      ],
    })),
  );
}

/** Families by algorithms, one measure, one budget; the best of each row in bold. */
export function familyTable(
  means: readonly Means[],
  budget: string,
  measure: 'regret' | 'idealOverActual',
  algorithms: readonly string[],
): string {
  const families = [...new Set(means.map((m) => m.family))].filter((family) => family !== pooled);
  const rows = [...families, pooled].map((family) => {
    const values = algorithms.map(
      (name) =>
        means.find((m) => m.family === family && m.budget === budget && m.algorithm === name)?.[measure] ??
        Number.NaN,
    );
    const best = measure === 'regret' ? Math.min(...values) : Math.max(...values);
    const cells = values.map((value) => (value === best ? `<b>${share(value)}</b>` : share(value)));
    return { cells: [safe(family), ...cells], sum: family === pooled };
  });
  return table(['family', ...algorithms.map(safe)], rows);
}

export function comparisonTable(comparisons: readonly Comparison[]): string {
  return table(
    ['budget', 'against', 'less regret', '95 % interval', 'wins', 'losses', 'ties', 'worst single history'],
    comparisons.map((c, i) => ({
      group: i > 0 && comparisons[i - 1]?.budget !== c.budget,
      cells: [
        comparisons[i - 1]?.budget === c.budget ? '' : safe(c.budget),
        safe(c.against),
        percent(c.lessRegret, 1),
        c.interval?.map((bound) => percent(bound, 1)).join(' … ') ?? '–',
        String(c.wins),
        String(c.losses),
        String(c.ties),
        `${c.worstTotalRatio >= 1 ? '+' : '−'}${percent(Math.abs(c.worstTotalRatio - 1), 1)} time`,
      ],
    })),
    2,
  );
}
