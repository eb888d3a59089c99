// `varve datasets verify`: compares files with what was recorded; damaged ones become misses.
import type { DatasetRow } from '../../core/rows.ts';
import { findDataset } from '../../engine/find-dataset.ts';
import { verifyDataset } from '../../engine/verify-dataset.ts';
import type { Varve } from '../../varve.ts';
import type { CommandRun } from '../command-table.ts';
import { withVarve } from '../session.ts';

const pageSize = 500;

export const run: CommandRun<'datasets verify'> = ({ arguments: given, options }, context) =>
  withVarve(context, async (varve) => {
    const counts = { intact: 0, missing: 0, damaged: 0 };
    const bad: { signature: string; name: string; found: string }[] = [];
    for await (const row of chosen(varve, given.dataset)) {
      const found = await verifyDataset(varve.engine.context, row, options.depth);
      counts[found] += 1;
      if (found !== 'intact') bad.push({ signature: row.signature, name: row.name, found });
    }
    context.output.result({ ...counts, bad }, () =>
      [
        ...bad.map(({ signature, name, found }) => `${signature.slice(0, 12)} ${name}: ${found}`),
        `${counts.intact} intact, ${counts.missing} missing, ${counts.damaged} damaged`,
      ].join('\n'),
    );
    return bad.length > 0 ? 9 : 0;
  });

async function* chosen(varve: Varve, prefixes: readonly string[]): AsyncGenerator<DatasetRow> {
  if (prefixes.length > 0) {
    for (const prefix of prefixes) yield findDataset(varve.store.view, prefix);
    return;
  }
  let before = Number.MAX_SAFE_INTEGER;
  for (;;) {
    const states = ['STORED', 'LEAF'] as const;
    const rows = await varve.store.view.listDatasets({ states, before, limit: pageSize });
    yield* rows;
    const last = rows.at(-1);
    if (!last) return;
    before = last.id;
  }
}
