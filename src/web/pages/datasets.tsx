// Datasets: what is known, found by name or by the beginning of the signature.
import { useMemo } from 'preact/hooks';
import { api, type Item } from '../base/api.ts';
import { bytesText, durationText, shortSignature } from '../base/format.ts';
import { useLive } from '../base/live.ts';
import { param, setParams } from '../base/router.ts';
import { EmptyState } from '../parts/empty-state.tsx';
import { Chips, SearchField } from '../parts/filters.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { PagedList } from '../parts/paged-list.ts';
import { PagedTable } from '../parts/paged-table.tsx';
import { StateBadge } from '../parts/state-badge.tsx';
import type { Column } from '../parts/table.tsx';
import { Ago } from '../parts/times.tsx';

type Dataset = Item<'listDatasets'>;

const filters: readonly {
  readonly id: string;
  readonly text: string;
  readonly states: Dataset['state'][];
}[] = [
  { id: '', text: 'All', states: [] },
  { id: 'results', text: 'Results', states: ['LEAF'] },
  { id: 'stored', text: 'Stored', states: ['STORED'] },
  { id: 'computing', text: 'Being computed', states: ['TO_STORE', 'TO_LEAF'] },
  { id: 'leaving', text: 'Leaving', states: ['STORED_TO_DELETE', 'PROCESSING', 'DELETING'] },
  { id: 'deleted', text: 'Deleted', states: ['DELETED'] },
];

const columns: readonly Column<Dataset>[] = [
  { head: 'Dataset', cell: (dataset) => dataset.name },
  { head: 'State', cell: (dataset) => <StateBadge of="dataset" state={dataset.state} /> },
  { head: 'Size', kind: 'number', cell: (dataset) => bytesText(dataset.sizeBytes) },
  { head: 'Cost to compute', kind: 'number wide', cell: (dataset) => durationText(dataset.computeMs) },
  { head: 'Uses', kind: 'number wide', cell: (dataset) => dataset.uses },
  {
    head: 'Last used',
    kind: 'extra',
    cell: (dataset) => <Ago at={dataset.usedAt ?? dataset.storedAt ?? dataset.createdAt} />,
  },
  {
    head: 'Signature',
    kind: 'extra',
    cell: (dataset) => <code class="quiet">{shortSignature(dataset.dataset)}</code>,
  },
];

export function DatasetsPage() {
  const filter = filters.find(({ id }) => id === (param('state') ?? '')) ?? filters[0]!;
  const search = param('search') ?? '';
  const list = useMemo(
    () =>
      new PagedList<Dataset>(
        (cursor) =>
          api.listDatasets({
            limit: 60,
            ...(cursor ? { cursor } : {}),
            ...(filter.states.length > 0 ? { state: filter.states } : {}),
            ...(search ? { search } : {}),
          }),
        (dataset) => dataset.dataset,
      ),
    [filter, search],
  );
  useLive(
    (event) => event.kind === 'dataset',
    (events) => {
      for (const { dataset = '', to } of events)
        if (!list.patch(dataset, (one) => ({ ...one, state: to as Dataset['state'] })) || filter.id !== '')
          list.soon(1000);
      list.soon(1000);
    },
    `${filter.id} ${search}`,
  );
  return (
    <div class="page">
      <PageHead title="Datasets" />
      <div class="toolbar">
        <SearchField
          label="Search by name or signature"
          value={search}
          onChange={(text) => setParams({ search: text })}
        />
        <Chips
          label="State"
          options={filters}
          chosen={filter.id}
          onChoose={(id) => setParams({ state: id })}
        />
      </div>
      <PagedTable
        label="Datasets"
        list={list}
        columns={columns}
        keyOf={(dataset) => dataset.dataset}
        hrefOf={(dataset) => `/datasets/${dataset.dataset}`}
        empty={<NoDatasets filtered={filter.id !== '' || search !== ''} />}
      />
    </div>
  );
}

function NoDatasets({ filtered }: { readonly filtered: boolean }) {
  if (filtered)
    return (
      <EmptyState title="No dataset fits">
        <button
          type="button"
          class="button"
          onClick={() => setParams({ search: undefined, state: undefined })}
        >
          Show all datasets
        </button>
      </EmptyState>
    );
  return (
    <EmptyState title="No datasets yet">
      <p>
        Every action of a run makes one. They stay as long as the storage budget allows, and are computed
        again when they are wanted.
      </p>
      <a class="button primary" href="/submit">
        Submit a workflow
      </a>
    </EmptyState>
  );
}
