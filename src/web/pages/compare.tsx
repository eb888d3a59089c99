// Two runs side by side: which actions are the same computation, which differ, and how long each took.
import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { api, type Item, type Output } from '../base/api.ts';
import { countText, durationText } from '../base/format.ts';
import { useResource } from '../base/resource.ts';
import { go, param } from '../base/router.ts';
import { EmptyState } from '../parts/empty-state.tsx';
import { Chips } from '../parts/filters.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { Loading } from '../parts/paged-table.tsx';
import { ProblemNote } from '../parts/problem-note.tsx';
import { StateBadge } from '../parts/state-badge.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { Ago, Elapsed } from '../parts/times.tsx';

type Action = Item<'listActions'>;
type Verdict = 'same' | 'changed' | 'only left' | 'only right';

interface Pair {
  readonly key: string;
  readonly left: Action | undefined;
  readonly right: Action | undefined;
  readonly verdict: Verdict;
}

const mostCompared = 20_000;

export function ComparePage() {
  const [left, right] = [Number(param('left')), Number(param('right'))];
  if (!Number.isSafeInteger(left) || !Number.isSafeInteger(right) || left < 1 || right < 1)
    return <ChooseRuns />;
  return <Comparison key={`${left} ${right}`} left={left} right={right} />;
}

function ChooseRuns() {
  const [left, right] = [useSignal(param('left') ?? ''), useSignal(param('right') ?? '')];
  return (
    <div class="page">
      <PageHead title="Compare two runs" back={{ href: '/runs', text: 'Runs' }} />
      <form
        class="card toolbar"
        onSubmit={(event) => {
          event.preventDefault();
          go(`/compare?left=${left.value}&right=${right.value}`);
        }}
      >
        <label>
          Run{' '}
          <input
            inputMode="numeric"
            required
            pattern="\d+"
            value={left.value}
            onInput={(event) => (left.value = event.currentTarget.value)}
          />
        </label>
        <label>
          with run{' '}
          <input
            inputMode="numeric"
            required
            pattern="\d+"
            value={right.value}
            onInput={(event) => (right.value = event.currentTarget.value)}
          />
        </label>
        <button type="submit" class="button primary">
          Compare
        </button>
      </form>
    </div>
  );
}

function Comparison({ left, right }: { readonly left: number; readonly right: number }) {
  const runs = useResource(`compare ${left} ${right}`, async () => {
    const [a, b] = await Promise.all([api.getRun({ run: left }), api.getRun({ run: right })]);
    const [of, and] = await Promise.all([actionsOf(left), actionsOf(right)]);
    return { a, b, pairs: pairsOf(of, and) };
  });
  const only = useSignal('');
  const known = runs.value.value;
  const counts = useMemo(() => countVerdicts(known?.pairs ?? []), [known]);
  const shown = known?.pairs.filter((pair) => only.value === '' || pair.verdict === only.value) ?? [];
  const options = [
    { id: '', text: `All ${countText(known?.pairs.length ?? 0)}` },
    ...(['changed', 'same', 'only left', 'only right'] as const).flatMap((id) =>
      counts[id] ? [{ id, text: `${verdictText(id, left, right)} ${countText(counts[id])}` }] : [],
    ),
  ];
  return (
    <div class="page">
      <PageHead title={`Runs ${left} and ${right}`} back={{ href: '/runs', text: 'Runs' }} />
      {runs.problem.value ? (
        <ProblemNote error={runs.problem.value} again={() => void runs.refresh()} />
      ) : !known ? (
        <Loading />
      ) : (
        <>
          <div class="grid">
            <RunCard run={known.a} />
            <RunCard run={known.b} />
          </div>
          <Chips
            label="Which actions"
            options={options}
            chosen={only.value}
            onChoose={(id) => (only.value = id)}
          />
          {shown.length === 0 ? (
            <EmptyState title="No actions to compare" />
          ) : (
            <Table
              label="Actions of both runs"
              rows={shown}
              columns={columns(left, right)}
              keyOf={(pair) => pair.key}
            />
          )}
        </>
      )}
    </div>
  );
}

function RunCard({ run }: { readonly run: Output<'getRun'> }) {
  const { computed, reused, joined, failed, skipped } = run.actions;
  return (
    <section class="card">
      <div class="card-head">
        <h2>
          <a href={`/runs/${run.run}`}>
            {run.run} {run.name}
          </a>
        </h2>
        <StateBadge of="run" state={run.state} />
      </div>
      <p class="quiet">
        {run.user}, submitted <Ago at={run.submittedAt} />, took{' '}
        <Elapsed from={run.submittedAt} to={run.endedAt} />
      </p>
      <p>
        {countText(computed)} computed, {countText(reused + joined)} reused, {countText(failed)} failed,{' '}
        {countText(skipped)} skipped; reuse saved {durationText(run.savedMs)}
      </p>
    </section>
  );
}

async function actionsOf(run: number): Promise<Map<string, Action>> {
  const found = new Map<string, Action>();
  for (let cursor: string | null | undefined; cursor !== null && found.size < mostCompared; ) {
    const { items, next } = await api.listActions({ run, limit: 1000, ...(cursor ? { cursor } : {}) });
    for (const action of items) found.set(action.key, action);
    cursor = next;
  }
  return found;
}

function pairsOf(left: ReadonlyMap<string, Action>, right: ReadonlyMap<string, Action>): Pair[] {
  return [...new Set([...left.keys(), ...right.keys()])].map((key) => {
    const [a, b] = [left.get(key), right.get(key)];
    const verdict: Verdict = !b
      ? 'only left'
      : !a
        ? 'only right'
        : a.signature === b.signature
          ? 'same'
          : 'changed';
    return { key, left: a, right: b, verdict };
  });
}

function countVerdicts(pairs: readonly Pair[]): Partial<Record<Verdict, number>> {
  const counts: Partial<Record<Verdict, number>> = {};
  for (const { verdict } of pairs) counts[verdict] = (counts[verdict] ?? 0) + 1;
  return counts;
}

function verdictText(verdict: Verdict, left: number, right: number): string {
  const texts: Record<Verdict, string> = {
    same: 'Same computation',
    changed: 'Changed',
    'only left': `Only in run ${left}`,
    'only right': `Only in run ${right}`,
  };
  return texts[verdict];
}

function columns(left: number, right: number): Column<Pair>[] {
  const side = (run: number, of: (pair: Pair) => Action | undefined): Column<Pair> => ({
    head: `Run ${run}`,
    cell: (pair) => {
      const action = of(pair);
      if (!action) return <span class="quiet">–</span>;
      return (
        <span class="row-line">
          <a href={`/runs/${run}?action=${action.action}`} title={`${pair.key} in run ${run}`}>
            <StateBadge of="action" state={action.state} />
          </a>
          {action.startedAt === null ? null : <Elapsed from={action.startedAt} to={action.endedAt} />}
        </span>
      );
    },
  });
  return [
    { head: 'Action', cell: (pair) => pair.key },
    { head: 'Verdict', cell: (pair) => verdictText(pair.verdict, left, right) },
    side(left, (pair) => pair.left),
    side(right, (pair) => pair.right),
    {
      head: 'Why in the later run',
      kind: 'extra why',
      cell: (pair) => (right > left ? pair.right : pair.left)?.why,
    },
  ];
}
