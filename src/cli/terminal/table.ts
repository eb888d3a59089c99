// Tables for the terminal: columns as wide as their contents, the widest cut when the terminal is narrow.
import type { Style } from './style.ts';
import { cutText, textWidth } from './wrap-text.ts';

export interface TableColumn {
  readonly title: string;
  readonly align?: 'left' | 'right';
  /** Colours a cell that was already cut and padded. */
  readonly paint?: (cell: string, row: readonly string[]) => string;
}

const gap = 2;
const leastWidth = 6;

/** The table as lines, each at most `columns` wide if the titles allow it. Cells are plain text. */
export function renderTable(
  columns: readonly TableColumn[],
  rows: readonly (readonly string[])[],
  style: Style,
  width: number,
): string[] {
  const widths = fitWidths(
    columns.map((column, index) =>
      Math.max(textWidth(column.title), ...rows.map((row) => textWidth(row[index] ?? ''))),
    ),
    width,
  );
  const line = (cells: readonly string[], paint: (cell: string, index: number) => string): string =>
    cells
      .map((cell, index) => {
        const padded = pad(cutText(cell, widths[index]!), widths[index]!, columns[index]?.align ?? 'left');
        return paint(padded, index);
      })
      .join(' '.repeat(gap))
      .trimEnd();
  const head = line(
    columns.map((column) => column.title),
    (cell) => style.dim(cell),
  );
  return [head, ...rows.map((row) => line(row, (cell, index) => columns[index]?.paint?.(cell, row) ?? cell))];
}

/** Takes columns from the widest until the whole fits. */
function fitWidths(wanted: readonly number[], total: number): number[] {
  const widths = [...wanted];
  let excess = widths.reduce((sum, width) => sum + width, 0) + gap * (widths.length - 1) - total;
  while (excess > 0) {
    const widest = widths.indexOf(Math.max(...widths));
    if (widths[widest]! <= leastWidth) break;
    widths[widest]! -= 1;
    excess -= 1;
  }
  return widths;
}

function pad(text: string, width: number, align: 'left' | 'right'): string {
  const space = ' '.repeat(Math.max(0, width - textWidth(text)));
  return align === 'left' ? `${text}${space}` : `${space}${text}`;
}
