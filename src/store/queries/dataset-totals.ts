// Counts and bytes of datasets by state, known without looking at the datasets. Every transaction appends what it changed; now and
// then the changes are summed up. Nobody waits for anybody, because no row is ever updated.
import type { DatasetState } from '../../core/machines/dataset.ts';
import type { StoreView } from '../../core/ports/store.ts';
import type { Session } from '../database.ts';
import { type Outbox, totalColumns } from '../outbox.ts';

type TotalRow = Awaited<ReturnType<StoreView['datasetTotals']>>[number];

/** States in which files take up space. */
const withFiles: ReadonlySet<string> = new Set<DatasetState>([
  'STORED',
  'LEAF',
  'STORED_TO_DELETE',
  'PROCESSING',
  'DELETING',
]);

/** More changes than this are worth summing up. */
const manyChanges = 500;
const flushesBetweenLooks = 100;

function bytesIn(state: string, sizeBytes: number | null): number {
  return withFiles.has(state) ? (sizeBytes ?? 0) : 0;
}

/** Notes moves; a birth has no `from`. The size is that after the move, and stays what it is once published. */
export function addDatasetTotals(
  outbox: Outbox,
  moved: readonly { readonly from?: string; readonly to: string; readonly sizeBytes: number | null }[],
): void {
  for (const { from, to, sizeBytes } of moved) {
    if (from !== undefined) outbox.addTotal(from, -1, -bytesIn(from, sizeBytes));
    outbox.addTotal(to, 1, bytesIn(to, sizeBytes));
  }
}

const sums = `select state, cast(sum(count) as bigint) as count, cast(sum(bytes) as bigint) as "sizeBytes"
  from dataset_total group by state`;

export async function readDatasetTotals(session: Session): Promise<TotalRow[]> {
  const rows = await session.all<TotalRow>(`${sums} order by state`);
  return rows.filter((row) => row.count !== 0);
}

/** The same for some realms, by looking at their datasets. */
export async function readRealmTotals(session: Session, realms: readonly string[]): Promise<TotalRow[]> {
  if (realms.length === 0) return [];
  const states = [...withFiles].map((state) => `'${state}'`).join(', ');
  return session.all<TotalRow>(
    `select state, cast(count(*) as bigint) as count,
        cast(sum(case when state in (${states}) then coalesce(size_bytes, 0) else 0 end) as bigint) as "sizeBytes"
      from dataset where is_current = 1 and realm in (${realms.map(() => '?').join(', ')})
      group by state order by state`,
    [...realms],
  );
}

/** Made once per store; called in each transaction that changes totals, looks now and then whether to sum up. */
export function createTotalsKeeper(): (session: Session) => Promise<void> {
  let flushes = 0;
  return async (session) => {
    if (flushes++ % flushesBetweenLooks !== 0) return;
    const [row] = await session.all<{ count: number }>('select count(*) as count from dataset_total');
    if ((row?.count ?? 0) > manyChanges) await sumUpDatasetTotals(session);
  };
}

export async function sumUpDatasetTotals(session: Session): Promise<void> {
  const changes = await session.all<{ state: string; count: number; bytes: number }>(
    `delete from dataset_total where id in (select id from dataset_total${session.dialect.lockOrSkip})
      returning state, count, bytes`,
  );
  const byState = new Map<string, { count: number; bytes: number }>();
  for (const { state, count, bytes } of changes) {
    const sum = byState.get(state) ?? { count: 0, bytes: 0 };
    byState.set(state, { count: sum.count + count, bytes: sum.bytes + bytes });
  }
  await session.insert(
    'dataset_total',
    totalColumns,
    [...byState].map(([state, { count, bytes }]) => [state, count, bytes]),
  );
}
