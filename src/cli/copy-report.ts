// Copies stores for the commands that back up, restore and move them, with progress on stderr.
import type { CopiedTable } from '../store/copy-store.ts';
import { copyStore } from '../store/copy-store.ts';
import type { Output } from './output.ts';

export async function copyWithReport(from: string, to: string, output: Output): Promise<CopiedTable[]> {
  let shown = Date.now();
  const copied = await copyStore(from, to, ({ table, rows }) => {
    if (Date.now() - shown < 1000) return;
    shown = Date.now();
    output.note(`copying ${table}: ${rows} rows`);
  });
  const total = copied.reduce((sum, { rows }) => sum + rows, 0);
  output.result(
    copied.map(({ table, rows, digest }) => ({ table, rows, digest })),
    () => `${total} rows of ${copied.length} tables copied and compared`,
  );
  return copied;
}
