// History: how much comes in, what it costs, and what reuse makes of it.
import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { api, type Item, type Output } from '../base/api.ts';
import { bytesText, countText, durationText } from '../base/format.ts';
import { useResource } from '../base/resource.ts';
import { isAdmin } from '../base/session.ts';
import { Chart } from '../parts/chart.tsx';
import { EmptyState } from '../parts/empty-state.tsx';
import { Figure } from '../parts/facts.tsx';
import { Chips } from '../parts/filters.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { PagedList } from '../parts/paged-list.ts';
import { Loading, PagedTable } from '../parts/paged-table.tsx';
import type { Column } from '../parts/table.tsx';
import { Ago } from '../parts/times.tsx';

const hour = 3_600_000;
const day = 24 * hour;

const periods = [
  { id: 'day', text: 'Last day', ms: day, everyMs: hour / 2 },
  { id: 'week', text: 'Last week', ms: 7 * day, everyMs: 4 * hour },
  { id: 'month', text: 'Last 30 days', ms: 30 * day, everyMs: day },
  { id: 'year', text: 'Last year', ms: 365 * day, everyMs: 7 * day },
];

export function HistoryPage() {
  const period = useSignal('week');
  const { ms, everyMs } = periods.find(({ id }) => id === period.value) ?? periods[1]!;
  const from = useMemo(() => Math.floor((Date.now() - ms) / everyMs) * everyMs, [ms, everyMs]);
  const savings = useResource(`savings ${from}`, () => api.getSavings({ from }));
  const total = savings.value.value?.total;
  return (
    <div class="page">
      <PageHead title="History" />
      <Chips label="Period" options={periods} chosen={period.value} onChoose={(id) => (period.value = id)} />
      <section class="card">
        {total ? (
          <div class="figures">
            <Figure value={countText(total.runs)} text="runs ended" />
            <Figure value={durationText(total.computedMs)} text="computed" />
            <Figure tone="reuse" value={durationText(total.savedMs)} text="saved by reuse" />
            <Figure
              tone={total.paidMs > 0 ? 'stop' : 'ok'}
              value={durationText(total.paidMs)}
              text="paid again for deletions"
            />
          </div>
        ) : (
          <Loading />
        )}
      </section>
      <div class="grid">
        <Arrivals of="runs" from={from} everyMs={everyMs} />
        <Arrivals of="actions" from={from} everyMs={everyMs} />
        <Gaps from={from} />
        {isAdmin.value ? <Costs /> : null}
      </div>
      <RecentRuns />
    </div>
  );
}

interface ArrivalsProps {
  readonly of: 'runs' | 'actions';
  readonly from: number;
  readonly everyMs: number;
}

function Arrivals({ of, from, everyMs }: ArrivalsProps) {
  const counts = useResource(`arrivals ${of} ${from} ${everyMs}`, () =>
    api.countArrivals({ of, from, everyMs, limit: 1000 }),
  );
  const items = counts.value.value?.items;
  const chart = useMemo(() => items && barsOf(items, from, everyMs), [items, from, everyMs]);
  return (
    <section class="card">
      <h2>{of === 'runs' ? 'Runs submitted' : 'Actions planned'}</h2>
      {chart ? (
        <Chart
          label={`${of} over time`}
          at={chart.at}
          series={[
            { label: of, values: chart.values, colour: of === 'runs' ? 'accent' : 'run', kind: 'bars' },
          ]}
          format={(value) => countText(Math.round(value))}
        />
      ) : (
        <Loading />
      )}
    </section>
  );
}

/** Stretches without arrivals are zero, not left out. */
function barsOf(
  items: Output<'countArrivals'>['items'],
  from: number,
  everyMs: number,
): { at: number[]; values: number[] } {
  const counts = new Map(items.map(({ start, count }) => [Math.floor(start / everyMs), count]));
  const [first, last] = [Math.floor(from / everyMs), Math.floor(Date.now() / everyMs)];
  const steps = Array.from({ length: last - first + 1 }, (_, i) => first + i);
  return {
    at: steps.map((step) => (step * everyMs) / 1000),
    values: steps.map((step) => counts.get(step) ?? 0),
  };
}

function Gaps({ from }: { readonly from: number }) {
  const gaps = useResource(`gaps ${from}`, () => api.getArrivalGaps({ of: 'runs', from, everyMs: 1000 }));
  const known = gaps.value.value;
  const most = Math.max(1, ...(known?.histogram.map(({ count }) => count) ?? []));
  return (
    <section class="card">
      <h2>How far apart runs arrive</h2>
      {!known ? (
        <Loading />
      ) : known.count === 0 ? (
        <EmptyState title="Fewer than two runs">There is nothing between them to measure.</EmptyState>
      ) : (
        <>
          <p class="quiet">
            {durationText(known.meanMs)} on average, {durationText(known.leastMs)} at least,{' '}
            {durationText(known.mostMs)} at most
          </p>
          <ul class="bars">
            {known.histogram.slice(0, 14).map(({ gapMs, count }) => (
              <li key={gapMs}>
                <span class="quiet">from {durationText(gapMs)}</span>
                <span class="bar" style={{ width: `${(100 * count) / most}%` }} />
                <span class="number">{countText(count)}</span>
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}

type Cost = Item<'listCosts'>;

const costColumns: readonly Column<Cost>[] = [
  { head: 'Action', cell: (cost) => cost.name },
  { head: 'Computed', kind: 'number', cell: (cost) => countText(cost.samples) },
  { head: 'Mean time', kind: 'number', cell: (cost) => durationText(cost.meanMs) },
  { head: 'Mean size', kind: 'number', cell: (cost) => bytesText(Math.round(cost.meanBytes)) },
];

function Costs() {
  const list = useMemo(
    () =>
      new PagedList<Cost>(
        (cursor) => api.listCosts({ limit: 100, ...(cursor ? { cursor } : {}) }),
        (cost) => cost.name,
      ),
    [],
  );
  return (
    <section class="card">
      <h2>What actions cost</h2>
      <div class="limited">
        <PagedTable
          label="What actions cost"
          list={list}
          columns={costColumns}
          keyOf={(cost) => cost.name}
          empty={<EmptyState title="Nothing was computed yet" />}
        />
      </div>
    </section>
  );
}

type Ended = Item<'listHistoryRuns'>;

const runColumns: readonly Column<Ended>[] = [
  {
    head: 'Run',
    cell: (run) => (
      <>
        <span class="quiet number">{run.run}</span> {run.workflow}
      </>
    ),
  },
  { head: 'User', kind: 'wide', cell: (run) => run.user },
  { head: 'Ended', kind: 'wide', cell: (run) => <Ago at={run.endedAt} /> },
  {
    head: 'Computed',
    kind: 'number',
    cell: (run) => `${countText(run.computed)} in ${durationText(run.computedMs)}`,
  },
  { head: 'Reused', kind: 'number', cell: (run) => countText(run.reused) },
  { head: 'Saved', kind: 'number wide', cell: (run) => durationText(run.savedMs) },
  { head: 'Paid again', kind: 'number extra', cell: (run) => durationText(run.paidMs) },
];

function RecentRuns() {
  const list = useMemo(
    () =>
      new PagedList<Ended>(
        (cursor) => api.listHistoryRuns({ limit: 60, ...(cursor ? { cursor } : {}) }),
        (run) => run.seq,
      ),
    [],
  );
  return (
    <section class="card">
      <h2>Ended runs</h2>
      <div class="limited">
        <PagedTable
          label="Ended runs"
          list={list}
          columns={runColumns}
          keyOf={(run) => run.seq}
          hrefOf={(run) => `/runs/${run.run}`}
          empty={<EmptyState title="No run has ended yet" />}
        />
      </div>
    </section>
  );
}
