// The actions of a run as a table. Of a run that is drawn they are all known; of a longer one they are read page by page.
import { useMemo } from 'preact/hooks';
import { api, type Item } from '../base/api.ts';
import { durationText } from '../base/format.ts';
import { useLive } from '../base/live.ts';
import { param, setParams } from '../base/router.ts';
import { toneOrder, toneText } from '../base/states.ts';
import type { GraphModel } from '../graph/graph-model.ts';
import { EmptyState } from '../parts/empty-state.tsx';
import { Chips, SearchField } from '../parts/filters.tsx';
import { PagedList } from '../parts/paged-list.ts';
import { PagedTable } from '../parts/paged-table.tsx';
import { StateBadge } from '../parts/state-badge.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { Elapsed } from '../parts/times.tsx';
import type { RunViewProps } from './run-graph.tsx';

export function RunTable({ model, version, chosen, onChoose }: RunViewProps) {
  const search = (param('search') ?? '').toLowerCase();
  const tone = param('state') ?? '';
  const counts = model.countTones(model.ids.map((_, i) => i));
  const rows = useMemo(
    () =>
      model.ids
        .map((_, i) => i)
        .filter((i) => {
          if (tone !== '' && model.toneOf(i) !== tone) return false;
          return search === '' || `${model.keys[i]} ${model.names[i]}`.toLowerCase().includes(search);
        }),
    [model, version, search, tone],
  );
  const options = [
    { id: '', text: 'All' },
    ...toneOrder.flatMap((one) =>
      counts[one]
        ? [
            {
              id: one,
              text: `${toneText[one].charAt(0).toUpperCase()}${toneText[one].slice(1)} ${counts[one]}`,
            },
          ]
        : [],
    ),
  ];
  return (
    <div class="stack">
      <div class="toolbar">
        <SearchField label="Search actions" value={search} onChange={(text) => setParams({ search: text })} />
        <Chips label="State" options={options} chosen={tone} onChoose={(id) => setParams({ state: id })} />
      </div>
      {rows.length === 0 ? (
        <EmptyState title="No action fits" />
      ) : (
        <Table
          label="Actions"
          rows={rows}
          columns={columns(model)}
          keyOf={(i) => model.ids[i] as number}
          onOpen={(i) => onChoose(model.ids[i])}
          chosen={chosen}
          rowHeight={40}
        />
      )}
    </div>
  );
}

function columns(model: GraphModel): Column<number>[] {
  return [
    { head: 'Action', cell: (i) => model.keys[i] },
    { head: 'State', cell: (i) => <StateBadge of="action" state={model.states[i] ?? ''} /> },
    { head: 'Name', kind: 'extra', cell: (i) => (model.names[i] === model.keys[i] ? null : model.names[i]) },
    {
      head: 'Waited',
      kind: 'number wide',
      cell: (i) => {
        const [ready, started] = model.times[i] ?? [null, null];
        return ready === null || started === null ? null : durationText(started - ready);
      },
    },
    {
      head: 'Took',
      kind: 'number',
      cell: (i) => {
        const [, started, ended] = model.times[i] ?? [null, null, null];
        return started === null ? null : <Elapsed from={started} to={ended} />;
      },
    },
  ];
}

type Action = Item<'listActions'>;

interface LongRunTableProps {
  readonly run: number;
  readonly chosen: number | undefined;
  readonly onChoose: (action: number | undefined) => void;
}

const longColumns: readonly Column<Action>[] = [
  { head: 'Action', cell: (action) => action.key },
  { head: 'State', cell: (action) => <StateBadge of="action" state={action.state} /> },
  { head: 'Why', kind: 'wide why', cell: (action) => action.why },
  {
    head: 'Took',
    kind: 'number',
    cell: (action) =>
      action.startedAt === null ? null : <Elapsed from={action.startedAt} to={action.endedAt} />,
  },
];

const stateChoices: readonly {
  readonly id: string;
  readonly text: string;
  readonly states: Action['state'][];
}[] = [
  { id: '', text: 'All', states: [] },
  { id: 'run', text: 'Running', states: ['PROCESSING', 'STAGING', 'SUBMITTED', 'RUNNING', 'DESTAGING'] },
  { id: 'fail', text: 'Failed', states: ['FAILED'] },
  { id: 'ok', text: 'Computed', states: ['FINISHED'] },
  { id: 'reuse', text: 'Reused', states: ['REUSED'] },
  { id: 'wait', text: 'Waiting', states: ['WAITING', 'READY'] },
  { id: 'skip', text: 'Skipped', states: ['SKIPPED', 'KILLED'] },
];

export function LongRunTable({ run, chosen, onChoose }: LongRunTableProps) {
  const choice = stateChoices.find(({ id }) => id === (param('state') ?? '')) ?? stateChoices[0]!;
  const list = useMemo(
    () =>
      new PagedList<Action>(
        (cursor) =>
          api.listActions({
            run,
            limit: 100,
            ...(cursor ? { cursor } : {}),
            ...(choice.states.length > 0 ? { state: choice.states } : {}),
          }),
        (action) => action.action,
      ),
    [run, choice],
  );
  useLive(
    (event) => event.kind === 'action' && event.run === run,
    (events) => {
      for (const { entity = 0, to } of events)
        list.patch(entity, (action) => ({ ...action, state: to as Action['state'] }));
    },
    `${run} ${choice.id}`,
  );
  return (
    <div class="stack">
      <p class="quiet">This run has too many actions to draw; they are read as you scroll.</p>
      <Chips
        label="State"
        options={stateChoices}
        chosen={choice.id}
        onChoose={(id) => setParams({ state: id })}
      />
      <PagedTable
        label="Actions"
        list={list}
        columns={longColumns}
        keyOf={(action) => action.action}
        onOpen={(action) => onChoose(action.action)}
        chosen={chosen}
        empty={<EmptyState title="No action is in this state" />}
      />
    </div>
  );
}
