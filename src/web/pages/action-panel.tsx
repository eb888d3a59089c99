// One action beside its run: why it ran or did not, what it does, what it reads and makes, its attempts and what they write.
import { useEffect, useRef } from 'preact/hooks';
import { api, type Output } from '../base/api.ts';
import { bytesText, durationText, shortSignature } from '../base/format.ts';
import { useLive } from '../base/live.ts';
import { attempt, tell } from '../base/notices.ts';
import { type Resource, useResource } from '../base/resource.ts';
import { go } from '../base/router.ts';
import { maySubmit } from '../base/session.ts';
import { endedAction } from '../base/states.ts';
import { Facts } from '../parts/facts.tsx';
import { Icon } from '../parts/icon.tsx';
import { Loading } from '../parts/paged-table.tsx';
import { ProblemNote } from '../parts/problem-note.tsx';
import { StateBadge } from '../parts/state-badge.tsx';
import { Ago, Elapsed } from '../parts/times.tsx';
import { ActionWhy } from './action-why.tsx';
import { LogView } from './log-view.tsx';

type Action = Output<'getAction'>;

interface ActionPanelProps {
  readonly action: number;
  readonly run: Output<'getRun'>;
  readonly onChoose: (action: number | undefined) => void;
}

export function ActionPanel({ action: id, run, onChoose }: ActionPanelProps) {
  const action = useResource(`action ${id}`, () => api.getAction({ action: id }));
  const panel = useRef<HTMLElement>(null);
  useLive(
    (event) => event.kind === 'action' && event.entity === id,
    () => action.soon(),
    String(id),
  );
  useEffect(() => {
    const close = (event: KeyboardEvent): void => {
      if (event.key === 'Escape' && !document.querySelector('dialog[open]')) onChoose(undefined);
    };
    document.addEventListener('keydown', close);
    return () => document.removeEventListener('keydown', close);
  }, [onChoose]);
  const known = action.value.value;
  return (
    <aside class="panel" ref={panel} aria-label={known ? `Action ${known.key}` : 'Action'} tabIndex={0}>
      <div class="panel-head">
        <h2>{known?.key ?? '…'}</h2>
        <button
          type="button"
          class="button plain"
          aria-label="Close the panel"
          onClick={() => onChoose(undefined)}
        >
          <Icon name="close" />
        </button>
      </div>
      {known ? <KnownAction action={known} run={run} onChoose={onChoose} /> : <Missing action={action} />}
    </aside>
  );
}

function Missing({ action }: { readonly action: Resource<Action> }) {
  return action.problem.value ? (
    <ProblemNote error={action.problem.value} again={() => void action.refresh()} />
  ) : (
    <Loading />
  );
}

function KnownAction({
  action,
  run,
  onChoose,
}: Omit<ActionPanelProps, 'action'> & { readonly action: Action }) {
  const last = action.tries.at(-1);
  return (
    <>
      <div class="panel-line">
        <StateBadge of="action" state={action.state} />
        {action.cancelRequested && !endedAction(action.state) ? (
          <span class="quiet">asked to stop</span>
        ) : null}
        {action.startedAt === null ? null : (
          <span class="quiet">
            <Elapsed from={action.startedAt} to={action.endedAt} />
          </span>
        )}
        {maySubmit.value ? <Rerun action={action} run={run} /> : null}
      </div>
      <ActionError error={action.error} />
      <section>
        <h3>Why</h3>
        <ActionWhy action={action} />
      </section>
      <Command action={action} />
      <Inputs action={action} onChoose={onChoose} />
      <Produced action={action} />
      {action.tries.length > 0 ? (
        <section>
          <h3>{action.tries.length === 1 ? 'Attempt' : 'Attempts'}</h3>
          {action.tries.toReversed().map((one) => (
            <Attempt key={one.number} attempt={one} many={action.tries.length > 1} />
          ))}
        </section>
      ) : null}
      {last ? (
        <section>
          <h3>Log</h3>
          <LogView
            key={last.number}
            action={action.action}
            attempts={action.tries.map((one) => one.number)}
            live={!endedAction(action.state)}
          />
        </section>
      ) : null}
      <details>
        <summary>Definition</summary>
        <pre class="block">{JSON.stringify(action.definition, null, 2)}</pre>
      </details>
    </>
  );
}

function Rerun({ action, run }: { readonly action: Action; readonly run: Output<'getRun'> }) {
  const rerun = (): Promise<boolean> =>
    attempt(async () => {
      const { run: next } = await api.rerunActions({
        run: run.run,
        actions: [action.key],
        idempotencyKey: crypto.randomUUID(),
      });
      tell(`Run ${next} computes ${action.key} again`);
      go(`/runs/${next}`);
    });
  return (
    <button
      type="button"
      class="button small"
      onClick={rerun}
      title="Compute this action again, and everything below that changes"
    >
      <Icon name="again" size={16} />
      Re-run from here
    </button>
  );
}

function ActionError({ error }: { readonly error: unknown }) {
  if (error === null || error === undefined) return null;
  const { message, code, hint } = error as { message?: string; code?: string; hint?: string };
  return (
    <div class="note tone-fail">
      <p>
        {message ?? JSON.stringify(error)} {code ? <code class="quiet">{code}</code> : null}
      </p>
      {hint ? <p>{hint}</p> : null}
    </div>
  );
}

function Command({ action }: { readonly action: Action }) {
  const { spec } = action.definition as { spec?: Readonly<Record<string, unknown>> };
  const command = spec?.shell ?? spec?.command ?? spec?.argv ?? spec?.baseCommand;
  if (command === undefined) return null;
  const text = Array.isArray(command) ? command.map(quoted).join(' ') : String(command);
  return (
    <section>
      <h3>Command</h3>
      <pre class="block">{text}</pre>
    </section>
  );
}

function quoted(word: unknown): string {
  const text = typeof word === 'string' ? word : JSON.stringify(word);
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

const shownInputs = 30;

function Inputs({
  action,
  onChoose,
}: {
  readonly action: Action;
  readonly onChoose: (action: number) => void;
}) {
  if (action.inputs.length === 0) return null;
  return (
    <section>
      <h3>Inputs</h3>
      <ul class="rows">
        {action.inputs.slice(0, shownInputs).map((input) => (
          <li key={`${input.slot} ${input.position}`}>
            <span class="quiet">
              {input.slot}
              {input.position === '' ? '' : ` ${input.position}`}
            </span>
            {input.dataset ? (
              <a href={`/datasets/${input.dataset}`}>{input.name ?? shortSignature(input.dataset)}</a>
            ) : (
              <span>not there yet</span>
            )}
            {input.action === null ? null : (
              <button type="button" class="link" onClick={() => onChoose(input.action as number)}>
                its action
              </button>
            )}
          </li>
        ))}
      </ul>
      {action.inputs.length > shownInputs ? (
        <p class="quiet">and {action.inputs.length - shownInputs} more</p>
      ) : null}
    </section>
  );
}

function Produced({ action: { dataset } }: { readonly action: Action }) {
  if (!dataset) return null;
  return (
    <section>
      <h3>Output</h3>
      <ul class="rows">
        <li>
          <a class="mono" href={`/datasets/${dataset.dataset}`}>
            {shortSignature(dataset.dataset)}
          </a>
          <StateBadge of="dataset" state={dataset.state} />
          <span class="number">{bytesText(dataset.sizeBytes)}</span>
        </li>
      </ul>
    </section>
  );
}

function Attempt({
  attempt: one,
  many,
}: {
  readonly attempt: Action['tries'][number];
  readonly many: boolean;
}) {
  const wall = one.startedAt !== null && one.endedAt !== null ? one.endedAt - one.startedAt : undefined;
  const used = one.cpuMs !== null && wall ? ` (${Math.round((100 * one.cpuMs) / wall)} % of a core)` : '';
  return (
    <Facts
      items={[
        ['Attempt', many ? one.number : null],
        ['Ended', one.endedAt === null ? 'not yet' : <Ago at={one.endedAt} />],
        ['Exit', one.exitCode === null ? one.signal : one.exitCode],
        ['Wall time', wall === undefined ? null : durationText(wall)],
        ['CPU time', one.cpuMs === null ? null : `${durationText(one.cpuMs)}${used}`],
        ['Peak memory', one.peakBytes === null ? null : bytesText(one.peakBytes)],
        ['Where', `${one.backend} on ${one.worker}`],
      ]}
    />
  );
}
