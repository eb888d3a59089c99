// Runs: what is under way now, and all of them, the newest first.
import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { api, type Item } from '../base/api.ts';
import { useLive } from '../base/live.ts';
import { useResource } from '../base/resource.ts';
import { go, param, setParams } from '../base/router.ts';
import { maySubmit } from '../base/session.ts';
import { endedRun } from '../base/states.ts';
import { useDroppedFiles } from '../parts/drop-files.ts';
import { EmptyState } from '../parts/empty-state.tsx';
import { Chips, SearchField } from '../parts/filters.tsx';
import { Icon } from '../parts/icon.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { PagedList } from '../parts/paged-list.ts';
import { PagedTable } from '../parts/paged-table.tsx';
import { StateBadge } from '../parts/state-badge.tsx';
import type { Column } from '../parts/table.tsx';
import { Ago, Elapsed } from '../parts/times.tsx';
import { RunningNow } from './running-now.tsx';
import { brought } from './submission.ts';

type Run = Item<'listRuns'>;
type RunState = Run['state'];

const filters: readonly { readonly id: string; readonly text: string; readonly states: RunState[] }[] = [
  { id: '', text: 'All', states: [] },
  { id: 'running', text: 'Running', states: ['RUNNING', 'CANCELLING'] },
  { id: 'succeeded', text: 'Succeeded', states: ['SUCCEEDED'] },
  { id: 'failed', text: 'Failed', states: ['FAILED'] },
  { id: 'cancelled', text: 'Cancelled', states: ['CANCELLED'] },
];

export function RunsPage() {
  const filter = filters.find(({ id }) => id === (param('state') ?? '')) ?? filters[0]!;
  const search = param('search') ?? '';
  const user = param('user');
  const list = useMemo(
    () =>
      new PagedList<Run>(
        (cursor) =>
          api.listRuns({
            limit: 60,
            ...(cursor ? { cursor } : {}),
            ...(filter.states.length > 0 ? { state: filter.states } : {}),
            ...(search ? { search } : {}),
            ...(user ? { user } : {}),
          }),
        (run) => run.run,
      ),
    [filter, search, user],
  );
  const live = useResource('live runs', () => api.listRuns({ state: ['RUNNING', 'CANCELLING'], limit: 8 }));
  const chosen = useSignal<ReadonlySet<number>>(new Set());
  useLive(
    (event) => event.kind === 'run',
    (events) => {
      for (const { kind, entity = 0, to, at } of events) {
        const known =
          kind === 'run' &&
          list.patch(entity, (run) => ({
            ...run,
            state: to as RunState,
            endedAt: endedRun(to ?? '') ? (at ?? null) : null,
          }));
        if (!known || filter.id !== '') list.soon(50);
      }
      live.soon();
    },
    `${filter.id} ${search} ${user}`,
  );
  const pick = (run: number): void => {
    const next = new Set(chosen.value);
    if (!next.delete(run)) next.add(run);
    chosen.value = new Set([...next].slice(-2));
  };
  const pair = [...chosen.value].sort((a, b) => a - b);
  const drop = useDroppedFiles((files) => {
    if (!maySubmit.value) return;
    brought.value = files;
    go('/submit');
  });
  return (
    <div class={`page ${drop.over ? 'dropping' : ''}`} {...drop.handlers}>
      <PageHead title="Runs">
        <button
          type="button"
          class="button"
          onClick={() => go(`/compare?left=${pair[0] ?? ''}&right=${pair[1] ?? ''}`)}
        >
          <Icon name="compare" />
          {pair.length === 2 ? `Compare ${pair[0]} and ${pair[1]}` : 'Compare two'}
        </button>
        {maySubmit.value ? (
          <a class="button primary" href="/submit">
            <Icon name="add" />
            Submit
          </a>
        ) : null}
      </PageHead>
      <RunningNow runs={live.value.value?.items ?? []} more={live.value.value?.next != null} />
      <div class="toolbar">
        <SearchField
          label="Search runs by name"
          value={search}
          onChange={(text) => setParams({ search: text })}
        />
        <Chips
          label="State"
          options={filters}
          chosen={filter.id}
          onChoose={(id) => setParams({ state: id })}
        />
        {user ? (
          <button
            type="button"
            class="chip"
            aria-pressed="true"
            onClick={() => setParams({ user: undefined })}
          >
            {user} ×
          </button>
        ) : null}
      </div>
      <PagedTable
        label="Runs"
        list={list}
        columns={columns(chosen.value, pick)}
        keyOf={(run) => run.run}
        hrefOf={(run) => `/runs/${run.run}`}
        empty={<NoRuns filtered={filter.id !== '' || search !== '' || user !== undefined} />}
      />
    </div>
  );
}

function columns(chosen: ReadonlySet<number>, pick: (run: number) => void): Column<Run>[] {
  return [
    {
      head: 'Run',
      cell: (run) => (
        <>
          <span class="quiet number">{run.run}</span> {run.name}
        </>
      ),
    },
    { head: 'State', cell: (run) => <StateBadge of="run" state={run.state} /> },
    {
      head: 'User',
      kind: 'wide',
      cell: (run) => (
        <button
          type="button"
          class="link plain"
          onClick={() => setParams({ user: run.user })}
          title={`only runs of ${run.user}`}
        >
          {run.user}
        </button>
      ),
    },
    { head: 'Project', kind: 'extra', cell: (run) => run.project },
    { head: 'Submitted', kind: 'wide', cell: (run) => <Ago at={run.submittedAt} /> },
    { head: 'Took', kind: 'number', cell: (run) => <Elapsed from={run.submittedAt} to={run.endedAt} /> },
    {
      head: 'Compare',
      kind: 'wide',
      width: '1%',
      cell: (run) => (
        <input
          type="checkbox"
          aria-label={`Compare run ${run.run}`}
          checked={chosen.has(run.run)}
          onChange={() => pick(run.run)}
        />
      ),
    },
  ];
}

function NoRuns({ filtered }: { readonly filtered: boolean }) {
  if (filtered)
    return (
      <EmptyState title="No run fits">
        <p>Nothing matches the search and the filters.</p>
        <button
          type="button"
          class="button"
          onClick={() => setParams({ search: undefined, state: undefined, user: undefined })}
        >
          Show all runs
        </button>
      </EmptyState>
    );
  return (
    <EmptyState title="No runs yet">
      <p>
        A workflow is a JSON or YAML document. Drop one here, write one, or use the command line:{' '}
        <code>varve run workflow.json</code>.
      </p>
      <a class="button primary" href="/submit">
        Submit a workflow
      </a>
    </EmptyState>
  );
}
