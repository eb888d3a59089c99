// What would be given up next, as the decision algorithm sees it now.
import { useSignal } from '@preact/signals';
import { api, type Output } from '../base/api.ts';
import { bytesText, durationText } from '../base/format.ts';
import { useResource } from '../base/resource.ts';
import { EmptyState } from '../parts/empty-state.tsx';
import { Loading } from '../parts/paged-table.tsx';
import { ProblemNote } from '../parts/problem-note.tsx';

const shares = [0.25, 0.5, 1];

export function NextToGo({ storage }: { readonly storage: Output<'getStorage'> }) {
  const share = useSignal(shares[0] as number);
  const bytes = Math.ceil(storage.usedBytes * share.value);
  const next = useResource(`next ${share.value} ${bytes > 0}`, () =>
    api.decide({ free: bytes, dryRun: true, limit: 20 }),
  );
  const known = next.value.value;
  return (
    <section class="card">
      <div class="card-head">
        <h2>What would go next</h2>
        <select
          aria-label="How much to free"
          value={share.value}
          onChange={(event) => (share.value = Number(event.currentTarget.value))}
        >
          {shares.map((one) => (
            <option key={one} value={one}>
              to free {one * 100} %
            </option>
          ))}
        </select>
      </div>
      {next.problem.value ? (
        <ProblemNote error={next.problem.value} />
      ) : !known ? (
        <Loading />
      ) : known.givenUp.length === 0 ? (
        <EmptyState title="Nothing">
          <p>What is here are results, pinned, or needed by live runs.</p>
        </EmptyState>
      ) : (
        <ol class="rows">
          {known.givenUp.map((one) => (
            <li key={one.dataset} title={one.text}>
              <a class="clip grow" href={`/datasets/${one.dataset}`}>
                {one.name}
              </a>
              <span class="number">{bytesText(one.bytes)}</span>
              <span class="quiet number">
                {one.recomputeSeconds === undefined
                  ? ''
                  : `${durationText(one.recomputeSeconds * 1000)} to redo`}
              </span>
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}
