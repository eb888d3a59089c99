// A table over a list that is read in pages, with what to show while there is nothing.
import type { JSX } from 'preact';
import { useCallback, useEffect } from 'preact/hooks';
import type { PagedList } from './paged-list.ts';
import { ProblemNote } from './problem-note.tsx';
import { type Column, Table } from './table.tsx';

interface PagedTableProps<T> {
  readonly label: string;
  readonly list: PagedList<T>;
  readonly columns: readonly Column<T>[];
  readonly keyOf: (row: T) => string | number;
  readonly hrefOf?: (row: T) => string;
  readonly onOpen?: (row: T) => void;
  readonly chosen?: string | number | undefined;
  readonly short?: boolean;
  readonly empty: JSX.Element;
}

export function PagedTable<T>({ list, empty, ...table }: PagedTableProps<T>) {
  const more = useCallback(() => void list.more(), [list]);
  useEffect(more, [more]);
  const rows = list.items.value;
  if (list.problem.value !== undefined && rows.length === 0)
    return <ProblemNote error={list.problem.value} again={() => void list.more()} />;
  if (rows.length === 0) return list.loading.value ? <Loading /> : empty;
  return <Table rows={rows} onEnd={more} {...table} />;
}

export function Loading() {
  return (
    <div class="loading" role="status">
      <span class="visually-hidden">Loading</span>
    </div>
  );
}
