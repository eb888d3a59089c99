// A run: its graph, time line, table, results and document, and beside them the action that is looked at.
import { useSignal } from '@preact/signals';
import { api, type Output } from '../base/api.ts';
import { countText, durationText } from '../base/format.ts';
import { useLive } from '../base/live.ts';
import { attempt, tell } from '../base/notices.ts';
import { useResource } from '../base/resource.ts';
import { go, param, setParams } from '../base/router.ts';
import { maySubmit } from '../base/session.ts';
import { endedRun } from '../base/states.ts';
import { GraphModel } from '../graph/graph-model.ts';
import { confirmed } from '../parts/dialog.tsx';
import { Icon } from '../parts/icon.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { Loading } from '../parts/paged-table.tsx';
import { ProblemNote } from '../parts/problem-note.tsx';
import { ProgressBar, ToneLegend, toneCounts } from '../parts/progress-bar.tsx';
import { StateBadge } from '../parts/state-badge.tsx';
import { Tabs } from '../parts/tabs.tsx';
import { Ago, Elapsed } from '../parts/times.tsx';
import { ActionPanel } from './action-panel.tsx';
import { RunGraph } from './run-graph.tsx';
import { RunResults } from './run-results.tsx';
import { RunSource } from './run-source.tsx';
import { LongRunTable, RunTable } from './run-table.tsx';
import { RunTimeline } from './run-timeline.tsx';

type Run = Output<'getRun'>;

/** A graph with more actions is not drawn; they are listed page by page. */
const mostDrawn = 25_000;

export function RunPage({ run: id }: { readonly run: number }) {
  const run = useResource(`run ${id}`, () => api.getRun({ run: id }));
  // Heard from the first moment on: what happens while the first answer is on its way is not in it.
  useLive(
    (event) => event.kind === 'run' && event.entity === id,
    () => run.soon(),
    String(id),
  );
  const detail = run.value.value;
  if (!detail)
    return (
      <div class="page">
        {run.problem.value ? (
          <ProblemNote error={run.problem.value} again={() => void run.refresh()} />
        ) : (
          <Loading />
        )}
      </div>
    );
  return <KnownRun run={detail} refresh={run.soon} />;
}

function KnownRun({ run, refresh }: { readonly run: Run; readonly refresh: () => void }) {
  const total = Object.values(run.states).reduce((sum, count) => sum + count, 0);
  const drawn = total <= mostDrawn;
  const graph = useResource(`graph ${run.run} ${drawn}`, async () =>
    drawn ? new GraphModel(await api.getRunGraph({ run: run.run })) : undefined,
  );
  const version = useSignal(0);
  useLive(
    (event) => event.run === run.run && (event.kind === 'action' || event.kind === 'run'),
    (events) => {
      const model = graph.value.peek();
      for (const { kind, entity = 0, to = '', at = Date.now() } of events) {
        if (kind === 'reset' || (kind === 'action' && !model?.move(entity, to, at))) graph.soon();
      }
      version.value += 1;
      refresh();
    },
    `${run.run} ${drawn}`,
  );
  const view = param('view') ?? (drawn ? 'graph' : 'table');
  const chosen = param('action') === undefined ? undefined : Number(param('action'));
  const choose = (action: number | undefined): void =>
    setParams({ action: action === undefined ? undefined : String(action) });
  const model = graph.value.value;
  const tabs = [
    ...(drawn
      ? [
          { id: 'graph', text: 'Graph' },
          { id: 'time', text: 'Time line' },
        ]
      : []),
    { id: 'table', text: 'Actions', count: total },
    { id: 'results', text: 'Results', count: run.outputs.length },
    { id: 'source', text: 'Document' },
  ];
  return (
    <div class="page full">
      <RunHead run={run} version={version.value} model={model} />
      <Tabs
        label="Views of the run"
        tabs={tabs}
        chosen={view}
        onChoose={(next) => setParams({ view: next })}
      />
      <div class={`split ${chosen === undefined ? '' : 'with-panel'}`}>
        <div class="split-main" role="tabpanel" aria-labelledby={`tab-${view}`}>
          {view === 'results' ? (
            <RunResults run={run} />
          ) : view === 'source' ? (
            <RunSource run={run.run} />
          ) : !drawn ? (
            <LongRunTable run={run.run} chosen={chosen} onChoose={choose} />
          ) : !model ? (
            graph.problem.value ? (
              <ProblemNote error={graph.problem.value} again={() => void graph.refresh()} />
            ) : (
              <Loading />
            )
          ) : view === 'time' ? (
            <RunTimeline
              model={model}
              version={version.value}
              chosen={chosen}
              onChoose={choose}
              ended={run.endedAt !== null}
            />
          ) : view === 'table' ? (
            <RunTable model={model} version={version.value} chosen={chosen} onChoose={choose} />
          ) : (
            <RunGraph model={model} version={version.value} chosen={chosen} onChoose={choose} />
          )}
        </div>
        {chosen === undefined ? null : (
          <ActionPanel key={chosen} action={chosen} run={run} onChoose={choose} />
        )}
      </div>
    </div>
  );
}

interface RunHeadProps {
  readonly run: Run;
  readonly version: number;
  readonly model: GraphModel | undefined;
}

function RunHead({ run, model }: RunHeadProps) {
  const counts = model ? model.countTones(model.ids.map((_, i) => i)) : toneCounts(run.states);
  return (
    <>
      <PageHead
        title={run.name}
        back={{ href: '/runs', text: 'Runs' }}
        beside={<StateBadge of="run" state={run.state} />}
        about={
          <>
            <span class="number">run {run.run}</span>
            <span>
              {run.user} in {run.project}
            </span>
            <span>
              submitted <Ago at={run.submittedAt} />
            </span>
            <span>
              {endedRun(run.state) ? 'took ' : 'running for '}
              <Elapsed from={run.submittedAt} to={run.endedAt} />
            </span>
            {run.savedMs >= 1000 ? <span>reuse saved {durationText(run.savedMs)} of computing</span> : null}
            {run.retryOf ? <a href={`/runs/${run.retryOf}`}>repeats run {run.retryOf}</a> : null}
          </>
        }
      >
        {maySubmit.value ? <RunActions run={run} /> : null}
      </PageHead>
      <div class="run-progress">
        <ProgressBar counts={counts} />
        <ToneLegend counts={counts} />
      </div>
      {run.failures.length > 0 ? <Failures run={run} model={model} /> : null}
      {run.warnings.map((text) => (
        <p key={text} class="note tone-stop">
          {text}
        </p>
      ))}
      {run.compacted ? (
        <p class="note">This run is old: its single actions are no longer known, only what they came to.</p>
      ) : null}
    </>
  );
}

function RunActions({ run }: { readonly run: Run }) {
  const ended = endedRun(run.state);
  const cancel = async (): Promise<void> => {
    const sure = await confirmed(
      `Cancel run ${run.run}?`,
      'What runs now is stopped. Work that another run shares goes on, and what is done stays.',
      'Cancel the run',
    );
    if (sure) await attempt(() => api.cancelRun({ run: run.run }), `Run ${run.run} is being cancelled`);
  };
  const retry = (): Promise<boolean> =>
    attempt(async () => {
      const { run: next } = await api.retryRun({ run: run.run, idempotencyKey: crypto.randomUUID() });
      tell(`Run ${next} goes on where run ${run.run} ended`);
      go(`/runs/${next}`);
    });
  return (
    <>
      {ended ? null : (
        <button type="button" class="button danger" disabled={run.state === 'CANCELLING'} onClick={cancel}>
          <Icon name="stop" />
          Cancel
        </button>
      )}
      {run.state === 'FAILED' || run.state === 'CANCELLED' ? (
        <button type="button" class="button primary" onClick={retry}>
          <Icon name="again" />
          Retry
        </button>
      ) : null}
      <a class="button" href={`/submit?from=${run.run}`}>
        Edit and submit
      </a>
    </>
  );
}

const shownFailures = 3;

function Failures({ run, model }: { readonly run: Run; readonly model: GraphModel | undefined }) {
  const open = (key: string): void => {
    const i = model?.keys.indexOf(key) ?? -1;
    if (i >= 0) setParams({ action: String(model?.ids[i]) });
  };
  return (
    <div class="note tone-fail">
      <ul class="problems">
        {run.failures.slice(0, shownFailures).map(({ action, code, message }) => (
          <li key={action}>
            <button type="button" class="link" onClick={() => open(action)}>
              {action}
            </button>{' '}
            {message} <code class="quiet">{code}</code>
          </li>
        ))}
      </ul>
      {run.actions.failed > shownFailures ? (
        <a href={`/runs/${run.run}?view=table&state=fail`}>
          all {countText(run.actions.failed)} failed actions
        </a>
      ) : null}
    </div>
  );
}
