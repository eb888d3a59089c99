// How much space datasets take and may take. Sizes are as recorded when files were published; the file system is asked how much it still
// offers, because others write there too and a budget beyond the disk is none.
import type { DatasetState } from '../core/machines/dataset.ts';
import type { EngineContext } from './engine-context.ts';

export interface BudgetOptions {
  /** Bytes, or a share of the file system that holds the datasets. */
  readonly budget: { readonly bytes: number } | { readonly fraction: number };
  /** Share of the budget past which datasets are given up, and down to which. */
  readonly highWatermark: number;
  readonly lowWatermark: number;
  /** Whether results of runs count against the budget. */
  readonly results?: 'inside' | 'outside';
}

export interface Space {
  /** Bytes of all datasets that count, those on their way out included. */
  readonly usedBytes: number;
  /** Of these, bytes that are given up and not removed yet. */
  readonly leavingBytes: number;
  /** Of those, bytes that stay as long as somebody reads them; right after a sweep. */
  readonly heldBytes: number;
  /** Bytes of results, counted or not. */
  readonly resultBytes: number;
  /** Bytes of a dataset on average; 0 as long as there are none. */
  readonly meanBytes: number;
  readonly budgetBytes: number;
  readonly highBytes: number;
  readonly lowBytes: number;
}

const leavingStates: ReadonlySet<DatasetState> = new Set(['STORED_TO_DELETE', 'PROCESSING', 'DELETING']);

export async function measureSpace(
  { store, storage }: Pick<EngineContext, 'store' | 'storage'>,
  options: BudgetOptions,
): Promise<Space> {
  const totals = await store.view.datasetTotals();
  const sum = (counts: (state: DatasetState) => boolean): number =>
    totals.reduce((bytes, row) => bytes + (counts(row.state) ? row.sizeBytes : 0), 0);
  const resultBytes = sum((state) => state === 'LEAF');
  const leavingBytes = sum((state) => leavingStates.has(state));
  const occupied = sum((state) => state === 'STORED') + leavingBytes + resultBytes;
  const usedBytes = options.results === 'outside' ? occupied - resultBytes : occupied;
  const count = totals.reduce(
    (sum, row) => sum + (row.state === 'STORED' || row.state === 'LEAF' ? row.count : 0),
    0,
  );
  const { freeBytes, totalBytes } = await storage.usage();
  const { budget } = options;
  const wanted = 'bytes' in budget ? budget.bytes : Math.floor(budget.fraction * totalBytes);
  const budgetBytes = Math.min(wanted, usedBytes + freeBytes);
  return {
    usedBytes,
    leavingBytes,
    heldBytes: sum((state) => state === 'STORED_TO_DELETE'),
    resultBytes,
    meanBytes: count === 0 ? 0 : (occupied - leavingBytes) / count,
    budgetBytes,
    highBytes: Math.floor(budgetBytes * options.highWatermark),
    lowBytes: Math.floor(budgetBytes * Math.min(options.lowWatermark, options.highWatermark)),
  };
}

/** Bytes that would stay if nothing more were given up. */
export function stayingBytes(space: Space): number {
  return space.usedBytes - space.leavingBytes;
}

/** How many datasets of average size fit twice into what is free of the budget. */
export function roomFor({ budgetBytes, usedBytes, meanBytes }: Space): number {
  return meanBytes === 0 ? 0 : Math.max(0, Math.floor((budgetBytes - usedBytes) / (2 * meanBytes)));
}
