// A table of any length: only the rows in sight are in the document, and the next page is read before its rows come into sight.
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

export interface Column<T> {
  readonly head: string;
  readonly cell: (row: T) => ComponentChildren;
  /** `number` aligns to the right; `wide` and `extra` leave on narrow screens, extra first. */
  readonly kind?: string;
  readonly width?: string;
}

interface TableProps<T> {
  readonly label: string;
  readonly rows: readonly T[];
  readonly columns: readonly Column<T>[];
  readonly keyOf: (row: T) => string | number;
  /** Where a row leads; its first cell becomes the link. */
  readonly hrefOf?: (row: T) => string;
  readonly onOpen?: (row: T) => void;
  readonly chosen?: string | number | undefined;
  /** Called when the end comes near. */
  readonly onEnd?: () => void;
  readonly rowHeight?: number;
  /** Grows with its rows instead of scrolling by itself. */
  readonly short?: boolean;
}

const overscan = 12;

export function Table<T>(props: TableProps<T>) {
  const { label, rows, columns, keyOf, onEnd, rowHeight = 44, short } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const [range, setRange] = useState({ top: 0, height: 800 });
  useEffect(() => {
    const element = scroller.current;
    if (!element || short) return;
    const look = (): void => setRange({ top: element.scrollTop, height: element.clientHeight });
    const observer = new ResizeObserver(look);
    observer.observe(element);
    element.addEventListener('scroll', look, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener('scroll', look);
    };
  }, [short]);
  const first = short ? 0 : Math.max(0, Math.floor(range.top / rowHeight) - overscan);
  const last = short
    ? rows.length
    : Math.min(rows.length, Math.ceil((range.top + range.height) / rowHeight) + overscan);
  useEffect(() => {
    if (last >= rows.length - overscan) onEnd?.();
  }, [last, rows.length, onEnd]);
  return (
    <div
      class={short ? 'table-scroll short' : 'table-scroll'}
      ref={scroller}
      tabIndex={props.hrefOf || props.onOpen ? -1 : 0}
    >
      <table aria-label={label} aria-rowcount={rows.length + 1}>
        <thead>
          <tr>
            {columns.map((column) => (
              <th
                key={column.head}
                scope="col"
                class={column.kind}
                style={column.width ? { width: column.width } : undefined}
              >
                {column.head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {first > 0 ? <Spacer height={first * rowHeight} columns={columns.length} /> : null}
          {rows.slice(first, last).map((row, i) => (
            <Row key={keyOf(row)} row={row} index={first + i} {...props} rowHeight={rowHeight} />
          ))}
          {last < rows.length ? (
            <Spacer height={(rows.length - last) * rowHeight} columns={columns.length} />
          ) : null}
        </tbody>
      </table>
    </div>
  );
}

function Spacer({ height, columns }: { readonly height: number; readonly columns: number }) {
  return (
    <tr class="spacer">
      <td colSpan={columns} style={{ height: `${height}px` }} />
    </tr>
  );
}

function Row<T>({
  row,
  index,
  columns,
  hrefOf,
  onOpen,
  chosen,
  keyOf,
  rowHeight,
}: TableProps<T> & { row: T; index: number }) {
  const opens = hrefOf !== undefined || onOpen !== undefined;
  return (
    <tr
      aria-rowindex={index + 2}
      class={`${opens ? 'opens' : ''} ${chosen === keyOf(row) ? 'chosen' : ''}`}
      style={{ height: `${rowHeight}px` }}
      onClick={(event) => {
        if ((event.target as Element).closest('a, button, input')) return;
        (event.currentTarget as HTMLElement).querySelector<HTMLElement>('[data-row]')?.click();
      }}
    >
      {columns.map((column, i) => (
        <td key={column.head} class={column.kind}>
          {i === 0 && hrefOf ? (
            <a href={hrefOf(row)} data-row>
              {column.cell(row)}
            </a>
          ) : i === 0 && onOpen ? (
            <button type="button" class="link" data-row onClick={() => onOpen(row)}>
              {column.cell(row)}
            </button>
          ) : (
            column.cell(row)
          )}
        </td>
      ))}
    </tr>
  );
}
