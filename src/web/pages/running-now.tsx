// The runs under way, each with how far it is.
import { api, type Item } from '../base/api.ts';
import { countText } from '../base/format.ts';
import { useLive } from '../base/live.ts';
import { useResource } from '../base/resource.ts';
import { ProgressBar, toneCounts } from '../parts/progress-bar.tsx';
import { Elapsed } from '../parts/times.tsx';

type Run = Item<'listRuns'>;

export function RunningNow({ runs, more }: { readonly runs: readonly Run[]; readonly more: boolean }) {
  if (runs.length === 0) return null;
  return (
    <section aria-label="Running now" class="running-now">
      {runs.map((run) => (
        <RunningRun key={run.run} run={run} />
      ))}
      {more ? (
        <a class="running-more" href="/runs?state=running">
          and more
        </a>
      ) : null}
    </section>
  );
}

function RunningRun({ run }: { readonly run: Run }) {
  const standing = useResource(`state ${run.run}`, () => api.getRunState({ run: run.run }));
  useLive(
    (event) => event.kind === 'action' && event.run === run.run,
    () => standing.soon(),
    String(run.run),
  );
  const counts = toneCounts(standing.value.value?.states ?? {});
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const done = total - (counts.run ?? 0) - (counts.wait ?? 0) - (counts.ready ?? 0);
  return (
    <a class="running-run" href={`/runs/${run.run}`}>
      <span class="running-name clip">
        <span class="quiet number">{run.run}</span> {run.name}
      </span>
      <ProgressBar counts={counts} small />
      <span class="running-facts quiet">
        <span class="number">
          {countText(done)} of {countText(total)}
        </span>
        <Elapsed from={run.submittedAt} to={run.endedAt} />
      </span>
    </a>
  );
}
