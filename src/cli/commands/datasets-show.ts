// `varve datasets show`: everything about one dataset.
import type { Json, JsonObject } from '../../core/json.ts';
import { formatBytes, formatDuration } from '../../core/units.ts';
import { findDataset } from '../../engine/find-dataset.ts';
import type { CommandRun } from '../command-table.ts';
import { withVarve } from '../session.ts';

export const run: CommandRun<'datasets show'> = ({ arguments: given }, context) =>
  withVarve(context, async (varve) => {
    const { view } = varve.store;
    const row = await findDataset(view, given.dataset);
    const edges = await view.edgesOn([row.id]);
    const journal = await view.journal({ datasetId: row.id, limit: 1000 });
    const holders = [
      ...new Set(edges.map((edge) => `${edge.holder} ${edge.holder === 'pin' ? '' : edge.holderId}`.trim())),
    ];
    const [, , definition] = JSON.parse(row.definition) as Json[];
    const path = row.location === null ? null : varve.storage.path(row.location);
    const { output } = context;
    output.result(
      {
        signature: row.signature,
        name: row.name,
        state: row.state,
        path,
        sizeBytes: row.sizeBytes,
        files: row.fileCount,
        digest: row.digest,
        computeMs: row.computeMs,
        uses: row.uses,
        nondeterministic: row.nondeterministic === 1,
        deletedReason: row.deletedReason,
        holders,
        definition: definition as JsonObject,
        value: row.value === null ? null : (JSON.parse(row.value) as Json),
        journal: journal.map(({ at, event, fromState, toState, actor }) => ({
          at,
          event,
          fromState,
          toState,
          actor,
        })),
      },
      () => {
        const facts: [string, string | null][] = [
          ['dataset', row.signature],
          ['name', row.name],
          ['state', row.state + (row.nondeterministic === 1 ? ' (not deterministic)' : '')],
          ['files', path],
          ['size', row.sizeBytes === null ? null : `${formatBytes(row.sizeBytes)} in ${row.fileCount} files`],
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
        return [...lines, 'definition', JSON.stringify(definition, null, 2), 'history', ...history].join(
          '\n',
        );
      },
    );
    return 0;
  });
