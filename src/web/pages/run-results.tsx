// What a run was for: its results, to look at and to download.
import type { Output } from '../base/api.ts';
import { downloadUrl } from '../base/api.ts';
import { bytesText, shortSignature } from '../base/format.ts';
import { endedRun } from '../base/states.ts';
import { EmptyState } from '../parts/empty-state.tsx';
import { Icon } from '../parts/icon.tsx';
import { StateBadge } from '../parts/state-badge.tsx';
import { type Column, Table } from '../parts/table.tsx';

type Result = Output<'getRun'>['outputs'][number];

const columns: readonly Column<Result>[] = [
  { head: 'Result of', cell: ({ action, position }) => (position === '' ? action : `${action} ${position}`) },
  { head: 'State', cell: ({ state }) => <StateBadge of="dataset" state={state} /> },
  { head: 'Size', kind: 'number', cell: ({ sizeBytes }) => bytesText(sizeBytes) },
  { head: 'Dataset', kind: 'wide', cell: ({ dataset }) => <code>{shortSignature(dataset)}</code> },
  {
    head: 'Files',
    kind: 'number',
    cell: ({ dataset, action }) => (
      <a href={downloadUrl(`/datasets/${dataset}/archive`)} download aria-label={`Download ${action}`}>
        <Icon name="download" size={16} /> Download
      </a>
    ),
  },
];

export function RunResults({ run }: { readonly run: Output<'getRun'> }) {
  if (run.outputs.length === 0)
    return (
      <EmptyState title="No results yet">
        <p>
          {endedRun(run.state) ? 'The run ended without any.' : 'They appear here as the last actions end.'}
        </p>
      </EmptyState>
    );
  return (
    <Table
      label="Results"
      rows={run.outputs}
      columns={columns}
      keyOf={({ action, position, dataset }) => `${action} ${position} ${dataset}`}
      hrefOf={({ dataset }) => `/datasets/${dataset}`}
    />
  );
}
