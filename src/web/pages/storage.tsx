// Storage: the budget and its use, what was given up and why, what would go next, and what all of that saved and cost.
import { useMemo } from 'preact/hooks';
import { api, type Output } from '../base/api.ts';
import { bytesText, countText, durationText, plural } from '../base/format.ts';
import { useLive } from '../base/live.ts';
import { useResource } from '../base/resource.ts';
import { seesAll } from '../base/session.ts';
import { lookOf, type Tone } from '../base/states.ts';
import { Chart } from '../parts/chart.tsx';
import { EmptyState } from '../parts/empty-state.tsx';
import { Figure } from '../parts/facts.tsx';
import { Glyph } from '../parts/icon.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { Loading } from '../parts/paged-table.tsx';
import { ProblemNote } from '../parts/problem-note.tsx';
import { GivenUp } from './given-up.tsx';
import { NextToGo } from './next-to-go.tsx';
import { WhatIf } from './what-if.tsx';

type Storage = Output<'getStorage'>;

export function StoragePage() {
  const storage = useResource('storage', () => api.getStorage({}));
  const savings = useResource('savings', () => api.getSavings({}));
  useLive(
    (event) => event.kind === 'dataset',
    () => storage.soon(),
    'storage',
  );
  const known = storage.value.value;
  return (
    <div class="page">
      <PageHead title="Storage" />
      {storage.problem.value ? (
        <ProblemNote error={storage.problem.value} again={() => void storage.refresh()} />
      ) : null}
      {known ? (
        <>
          <div class="grid">
            <Budget storage={known} />
            <Savings savings={savings.value.value} />
          </div>
          {seesAll.value ? (
            <>
              <UseOverTime />
              <WhatIf storage={known} />
              <div class="grid">
                <NextToGo storage={known} />
                <GivenUp />
              </div>
              <Decisions />
            </>
          ) : (
            <GivenUp />
          )}
        </>
      ) : storage.problem.value ? null : (
        <Loading />
      )}
    </div>
  );
}

function Budget({ storage }: { readonly storage: Storage }) {
  const { budget, usedBytes, freeBytes, states } = storage;
  return (
    <section class="card">
      <div class="card-head">
        <h2>{budget ? 'Budget' : 'Space in use'}</h2>
        <span class="quiet">{budget ? `decided by ${storage.algorithm}` : null}</span>
      </div>
      <div class="figures">
        <Figure
          value={bytesText(budget?.countedBytes ?? usedBytes)}
          text={budget ? `of ${bytesText(budget.budgetBytes)} counted` : 'in datasets'}
        />
        {budget ? <Figure value={bytesText(budget.resultBytes)} text="of it are results" /> : null}
        {freeBytes === null ? null : <Figure value={bytesText(freeBytes)} text="free on the disk" />}
      </div>
      {budget ? (
        <Gauge budget={budget} />
      ) : freeBytes === null ? (
        <p class="quiet">
          What you may see of it. Budget and disk belong to the whole site; its administrators look after
          them.
        </p>
      ) : (
        <p class="quiet">
          No budget is set: everything is kept until the disk is full. Set <code>storage.budget</code>, and
          Varve gives up what is expected to save the least.
        </p>
      )}
      <ul class="legend">
        {byLook(states).map(({ tone, text, count, sizeBytes }) => (
          <li key={text} class={`tone-${tone}`}>
            <Glyph tone={tone} />
            {text}
            <span class="number quiet">
              {countText(count)}
              {sizeBytes > 0 ? `, ${bytesText(sizeBytes)}` : ''}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** States that look the same to people are one line. */
function byLook(states: Storage['states']) {
  const lines = new Map<string, { tone: Tone; text: string; count: number; sizeBytes: number }>();
  for (const { state, count, sizeBytes } of states) {
    if (count === 0) continue;
    const look = lookOf('dataset', state);
    const line = lines.get(look.text) ?? { ...look, count: 0, sizeBytes: 0 };
    const bytes = state === 'DELETED' ? 0 : sizeBytes;
    lines.set(look.text, { ...line, count: line.count + count, sizeBytes: line.sizeBytes + bytes });
  }
  return [...lines.values()];
}

function Gauge({ budget }: { readonly budget: NonNullable<Storage['budget']> }) {
  const full = Math.max(budget.budgetBytes, budget.countedBytes, 1);
  const share = (bytes: number): string => `${Math.min(100, (100 * bytes) / full)}%`;
  const text = `${bytesText(budget.countedBytes)} of ${bytesText(budget.budgetBytes)}; deletion begins at ${bytesText(budget.highBytes)} and frees down to ${bytesText(budget.lowBytes)}`;
  return (
    <div>
      <div class="gauge" role="img" aria-label={text} title={text}>
        <span
          class={budget.countedBytes > budget.highBytes ? 'gauge-used over' : 'gauge-used'}
          style={{ width: share(budget.countedBytes) }}
        />
        <span class="gauge-results" style={{ width: share(budget.resultBytes) }} />
        <span class="gauge-mark" style={{ left: share(budget.lowBytes) }} />
        <span class="gauge-mark high" style={{ left: share(budget.highBytes) }} />
      </div>
      <p class="quiet gauge-text">
        Past {bytesText(budget.highBytes)} datasets are given up until {bytesText(budget.lowBytes)} are left.
      </p>
    </div>
  );
}

function Savings({ savings }: { readonly savings: Output<'getSavings'> | undefined }) {
  const total = savings?.total;
  return (
    <section class="card">
      <div class="card-head">
        <h2>What reuse saved</h2>
        {total ? <span class="quiet">{plural(total.runs, 'ended run')}</span> : null}
      </div>
      {total ? (
        <div class="figures">
          <Figure tone="reuse" value={durationText(total.savedMs)} text="of computing saved by reuse" />
          <Figure value={durationText(total.computedMs)} text="computed" />
          <Figure
            tone={total.paidMs > 0 ? 'stop' : 'ok'}
            value={durationText(total.paidMs)}
            text="paid again for deletions"
          />
        </div>
      ) : (
        <Loading />
      )}
      {savings && savings.items.length > 0 ? (
        <ul class="rows">
          {savings.items
            .toSorted((a, b) => b.savedMs - a.savedMs)
            .slice(0, 4)
            .map((row) => (
              <li key={`${row.userName} ${row.workflow}`}>
                <span class="clip grow">{row.workflow}</span>
                <span class="quiet">{row.userName}</span>
                <span class="number">{durationText(row.savedMs)}</span>
              </li>
            ))}
        </ul>
      ) : null}
    </section>
  );
}

function UseOverTime() {
  const use = useResource('use', () => api.getStorageUse({ points: 400 }));
  const known = use.value.value?.items;
  const chart = useMemo(() => (known && known.length > 1 ? chartOf(known) : undefined), [known]);
  return (
    <section class="card">
      <h2>Use over time</h2>
      {chart ? (
        <Chart label="Space in use over time" {...chart} format={bytesText} />
      ) : known ? (
        <EmptyState title="Too early for a picture">
          The space in use is written down once a minute while a server runs.
        </EmptyState>
      ) : (
        <Loading />
      )}
    </section>
  );
}

function chartOf(items: Output<'getStorageUse'>['items']) {
  return {
    at: items.map((item) => item.at / 1000),
    series: [
      { label: 'in use', values: items.map((item) => item.usedBytes), colour: 'run', kind: 'area' as const },
      { label: 'results', values: items.map((item) => item.resultBytes), colour: 'ok' },
      {
        label: 'budget',
        values: items.map((item) => item.budgetBytes),
        colour: 'fail',
        kind: 'dashed' as const,
      },
    ],
  };
}

function Decisions() {
  const decisions = useResource('decisions', () => api.listDecisions({ limit: 100, order: 'newest' }));
  const items = decisions.value.value?.items;
  if (!items || items.length === 0) return null;
  return (
    <section class="card">
      <h2>Decisions</h2>
      <div class="table-scroll short">
        <table aria-label="Decisions">
          <thead>
            <tr>
              <th scope="col">When</th>
              <th scope="col" class="wide">
                By
              </th>
              <th scope="col" class="number">
                Wanted
              </th>
              <th scope="col" class="number">
                Freed
              </th>
              <th scope="col" class="number">
                Datasets
              </th>
              <th scope="col" class="extra">
                Remarks
              </th>
            </tr>
          </thead>
          <tbody>
            {items.map((row) => (
              <tr key={row.id}>
                <td class="tall">
                  {new Date(row.at).toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'short' })}
                </td>
                <td class="wide">{row.algorithm ?? '–'}</td>
                <td class="number">{bytesText(row.wantedBytes)}</td>
                <td class="number">{bytesText(row.freedBytes)}</td>
                <td class="number">{row.datasets}</td>
                <td class="extra why">
                  {row.refused ??
                    (row.shortfallBytes > 0
                      ? `${bytesText(row.shortfallBytes)} short: everything else is held`
                      : '')}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
