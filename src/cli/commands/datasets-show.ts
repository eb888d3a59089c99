// `varve datasets show`: everything about one dataset.
import type { Json, JsonObject } from '../../core/json.ts';
import { formatBytes, formatDuration } from '../../core/units.ts';
import type { CommandRun } from '../command-table.ts';
import { withApi } from '../session.ts';

export const run: CommandRun<'datasets show'> = ({ arguments: given }, context) =>
  withApi(context, async (api) => {
    const row = await api.getDataset({ dataset: given.dataset });
    const { path, holders, journal } = row;
    const { output } = context;
    output.result(
      {
        signature: row.dataset,
        name: row.name,
        state: row.state,
        path,
        sizeBytes: row.sizeBytes,
        files: row.fileCount,
        digest: row.digest,
        computeMs: row.computeMs,
        uses: row.uses,
        nondeterministic: row.nondeterministic,
        deletedReason: row.deletedReason,
        holders,
        definition: row.definition as JsonObject,
        value: row.value as Json,
        journal: journal.map((one) => ({ ...one })),
      },
      () => {
        const facts: [string, string | null][] = [
          ['dataset', row.dataset],
          ['name', row.name],
          ['state', row.state + (row.nondeterministic ? ' (not deterministic)' : '')],
          ['files', path],
          [
            'size',
            row.sizeBytes === null
              ? null
              : `${formatBytes(row.sizeBytes)} in ${row.fileCount} ${row.fileCount === 1 ? 'file' : 'files'}`,
          ],
          ['digest', row.digest],
          ['computed in', row.computeMs === null ? null : formatDuration(row.computeMs)],
          ['uses', String(row.uses)],
          ['held by', holders.length === 0 ? 'nobody' : holders.join(', ')],
          ['deleted because', row.state === 'DELETED' ? row.deletedReason : null],
        ];
        const lines = facts
          .filter(([, value]) => value !== null)
          .map(([name, value]) => `${name.padEnd(16)}${value}`);
        const history = journal.map(
          (one) =>
            `  ${new Date(one.at).toISOString().replace('T', ' ').slice(0, 19)}  ${one.event}${one.toState ? ` → ${one.toState}` : ''}`,
        );
        return [...lines, 'definition', JSON.stringify(row.definition, null, 2), 'history', ...history].join(
          '\n',
        );
      },
    );
    return 0;
  });
