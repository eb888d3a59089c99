// What another budget would have cost: the history of this site, replayed while the slider moves.
import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { api, type Output } from '../base/api.ts';
import { bytesText, countText, durationText, plural } from '../base/format.ts';
import { createResource, type Resource } from '../base/resource.ts';
import { Figure } from '../parts/facts.tsx';
import { ProblemNote } from '../parts/problem-note.tsx';

const steps = 100;

export function WhatIf({ storage }: { readonly storage: Output<'getStorage'> }) {
  const start = storage.budget?.budgetBytes ?? Math.max(storage.usedBytes, 1);
  const position = useSignal<number | undefined>(undefined);
  const answer = useMemo(() => {
    const asked: Resource<WhatIfAnswer | null> = createResource(async () => {
      const budgetBytes = Math.max(1, Math.round(budgetAt(position.peek(), start, asked.value.peek())));
      return (await api.askWhatIf({ budgetBytes })).answer;
    });
    return asked;
  }, [start, position]);
  useEffect(() => void answer.refresh(), [answer]);
  const known = answer.value.value;
  const budget = budgetAt(position.value, start, known);
  const most = mostBudget(start, known);
  return (
    <section class="card">
      <div class="card-head">
        <h2>What if the budget were another?</h2>
        {known ? (
          <span class="quiet">
            {plural(known.runs, 'run')} replayed with {known.algorithm}
          </span>
        ) : null}
      </div>
      {known === null ? <p class="quiet">There is no history yet: the first runs have to end.</p> : null}
      {answer.problem.value ? <ProblemNote error={answer.problem.value} /> : null}
      <label class="field">
        <span>
          Budget <strong class="number">{bytesText(Math.round(budget))}</strong>
          <span class="quiet"> besides results</span>
        </span>
        <input
          type="range"
          min="0"
          max={steps}
          step="1"
          aria-valuetext={bytesText(Math.round(budget))}
          value={position.value ?? toPosition(start, most)}
          onInput={(event) => {
            position.value = Number(event.currentTarget.value);
            void answer.refresh();
          }}
        />
      </label>
      {known ? <Answer known={known} /> : null}
    </section>
  );
}

type WhatIfAnswer = NonNullable<Output<'askWhatIf'>['answer']>;

function Answer({ known }: { readonly known: WhatIfAnswer }) {
  const extra = Math.max(0, known.computeSeconds - known.unlimitedSeconds);
  const span = Math.max(1e-9, known.bareSeconds - known.unlimitedSeconds);
  const saved = Math.max(0, known.bareSeconds - known.computeSeconds);
  return (
    <>
      <div class="figures">
        <Figure value={durationText(known.computeSeconds * 1000)} text="of computing in all" />
        <Figure
          tone={extra > 0 ? 'stop' : 'ok'}
          value={durationText(extra * 1000)}
          text="of it again, for deletions"
        />
        <Figure tone="reuse" value={`${Math.round((100 * saved) / span)} %`} text="of what reuse can save" />
        <Figure value={countText(known.givenUp)} text="datasets given up" />
      </div>
      <div
        class="gauge"
        role="img"
        aria-label={`Between ${durationText(known.unlimitedSeconds * 1000)} with unlimited space and ${durationText(known.bareSeconds * 1000)} with none`}
      >
        <span class="gauge-used" style={{ width: `${Math.min(100, (100 * saved) / span)}%` }} />
      </div>
      <p class="quiet">
        Unlimited space would hold {bytesText(known.footprintBytes)} and take{' '}
        {durationText(known.unlimitedSeconds * 1000)}; keeping nothing but results would take{' '}
        {durationText(known.bareSeconds * 1000)}.
        {known.exact ? '' : ' Decisions were bundled to answer quickly: the true time is a little less.'}
      </p>
    </>
  );
}

function mostBudget(start: number, known: WhatIfAnswer | null | undefined): number {
  return Math.max(start, known?.footprintBytes ?? 0, 1) * 1.2;
}

/** Small budgets get more of the slider than large ones. */
function budgetAt(
  position: number | undefined,
  start: number,
  known: WhatIfAnswer | null | undefined,
): number {
  return position === undefined ? start : mostBudget(start, known) * (position / steps) ** 2;
}

function toPosition(budget: number, most: number): number {
  return Math.round(steps * Math.sqrt(budget / most));
}
