// Submit a workflow: written in the editor, or dropped with the files that it names.
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { api, type Output } from '../base/api.ts';
import { bytesText, plural } from '../base/format.ts';
import { attempt, tell } from '../base/notices.ts';
import { go, param } from '../base/router.ts';
import { maySubmit, session } from '../base/session.ts';
import type { Tone } from '../base/states.ts';
import { CodeEditor } from '../editor/code-editor.tsx';
import { useDroppedFiles } from '../parts/drop-files.ts';
import { EmptyState } from '../parts/empty-state.tsx';
import { Glyph, Icon } from '../parts/icon.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { ProblemList } from '../parts/problem-note.tsx';
import { firstWorkflow } from './first-workflow.ts';
import { brought, matchFiles, submissionOf, type UploadedFile, uploadFile } from './submission.ts';

type Checked = Output<'validateWorkflow'>;
type Plan = Output<'planRun'>['items'];

const checkMs = 350;

export function SubmitPage() {
  const text = useSignal(firstWorkflow);
  const fileName = useSignal('workflow.yaml');
  const files = useSignal<readonly UploadedFile[]>([]);
  const checked = useSignal<Checked | undefined>(undefined);
  const plan = useSignal<Plan | undefined>(undefined);
  const project = useSignal('');
  const parameters = useSignal('');
  const busy = useSignal(false);
  const from = param('from');

  useEffect(() => {
    if (from === undefined) return;
    void attempt(async () => {
      const known = await api.getRunSource({ run: Number(from) });
      if (known.source === null) return;
      text.value = known.source;
      fileName.value = known.source.trimStart().startsWith('{') ? 'workflow.json' : 'workflow.yaml';
      if (known.parameters !== null) parameters.value = JSON.stringify(known.parameters, null, 2);
    });
  }, [from]);

  const submission = () => submissionOf({ text: text.value, fileName: fileName.value, files: files.value });
  useEffect(() => {
    plan.value = undefined;
    const timer = setTimeout(() => {
      api.validateWorkflow(submission()).then(
        (answer) => (checked.value = answer),
        () => (checked.value = undefined),
      );
    }, checkMs);
    return () => clearTimeout(timer);
  }, [text.value, fileName.value, files.value]);

  const take = (dropped: readonly File[]): Promise<boolean> =>
    attempt(async () => {
      const document = dropped.find(
        (file) =>
          /\.(ya?ml|json|cwl)$/i.test(file.name) &&
          !matchFiles([file], checked.value?.missingFiles ?? []).length,
      );
      const others = dropped.filter((file) => file !== document);
      if (document) {
        text.value = await document.text();
        fileName.value = document.name;
      }
      for (const file of others)
        files.value = [...files.value.filter((one) => one.name !== file.name), await uploadFile(file)];
    });
  const drop = useDroppedFiles((dropped) => void take(dropped));
  useEffect(() => {
    if (brought.value.length > 0) void take(brought.value);
    brought.value = [];
  }, []);
  const more = () => ({
    ...submission(),
    ...(project.value ? { project: project.value } : {}),
    ...(parameters.value.trim()
      ? { parameters: JSON.parse(parameters.value) as Record<string, unknown> }
      : {}),
  });
  const submit = async (): Promise<void> => {
    busy.value = true;
    await attempt(async () => {
      const { run } = await api.submitRun({ ...more(), idempotencyKey: crypto.randomUUID() });
      tell(`Run ${run} is submitted`);
      go(`/runs/${run}`);
    });
    busy.value = false;
  };
  const foresee = (): Promise<boolean> =>
    attempt(async () => {
      plan.value = (await api.planRun(more())).items;
    });
  if (session.value && !maySubmit.value)
    return (
      <div class="page">
        <EmptyState title="You may look, not submit">Ask an administrator for the role submitter.</EmptyState>
      </div>
    );
  const problems = checked.value?.problems ?? [];
  const missing = checked.value?.missingFiles ?? [];
  return (
    <div class={`page full submit ${drop.over ? 'dropping' : ''}`} {...drop.handlers}>
      <PageHead
        title="Submit a workflow"
        back={{ href: '/runs', text: 'Runs' }}
        about="Write it here, or drop the document and the files that it names onto this page."
      >
        <label class="button">
          Choose files
          <input
            class="visually-hidden"
            type="file"
            multiple
            onChange={(event) => void take([...(event.currentTarget.files ?? [])])}
          />
        </label>
        <button type="button" class="button" disabled={problems.length > 0} onClick={foresee}>
          What would it do?
        </button>
        <button
          type="button"
          class="button primary"
          disabled={problems.length > 0 || busy.value}
          onClick={submit}
        >
          Submit
        </button>
      </PageHead>
      <div class="split with-panel">
        <div class="split-main">
          <CodeEditor text={text} fileName={fileName.value} problems={problems} />
        </div>
        <aside class="panel" aria-label="About the submission" tabIndex={0}>
          <section>
            <h3>Check</h3>
            {checked.value === undefined ? (
              <p class="quiet">Checking…</p>
            ) : problems.length === 0 ? (
              <p class="tone-ok said">
                <Glyph tone="ok" /> The document is complete and right.
              </p>
            ) : (
              <div class="note tone-fail">
                <ProblemList problems={problems} />
              </div>
            )}
          </section>
          <section>
            <h3>Files</h3>
            {missing.length === 0 && files.value.length === 0 ? (
              <p class="quiet">The document names none.</p>
            ) : null}
            <ul class="rows">
              {missing.map((path) => (
                <li key={path}>
                  <span class="clip grow mono">{path.replace(/^\/submission\//, '')}</span>
                  <span class="quiet">missing: drop it here</span>
                </li>
              ))}
              {files.value.map((file) => (
                <li key={file.name}>
                  <span class="clip grow mono">{file.name}</span>
                  <span class="number quiet">{bytesText(file.sizeBytes)}</span>
                  <button
                    type="button"
                    class="button plain small"
                    aria-label={`Leave ${file.name} out`}
                    onClick={() => (files.value = files.value.filter((one) => one !== file))}
                  >
                    <Icon name="close" size={16} />
                  </button>
                </li>
              ))}
            </ul>
          </section>
          <section>
            <h3>Options</h3>
            {(session.value?.projects.length ?? 0) > 1 ? (
              <label class="field">
                Project
                <select
                  value={project.value}
                  onChange={(event) => (project.value = event.currentTarget.value)}
                >
                  {session.value?.projects.map((one) => (
                    <option key={one} value={one}>
                      {one}
                    </option>
                  ))}
                </select>
              </label>
            ) : null}
            <label class="field">
              Parameters, as JSON
              <textarea
                rows={3}
                class="mono"
                placeholder='{ "threshold": 5 }'
                value={parameters.value}
                onInput={(event) => (parameters.value = event.currentTarget.value)}
              />
            </label>
          </section>
          {plan.value ? <PlanView plan={plan.value} /> : null}
        </aside>
      </div>
    </div>
  );
}

const planLooks: Readonly<Record<Plan[number]['plan'], { readonly tone: Tone; readonly text: string }>> = {
  compute: { tone: 'run', text: 'computed' },
  grow: { tone: 'run', text: 'grown' },
  reuse: { tone: 'reuse', text: 'reused' },
  join: { tone: 'reuse', text: 'joined' },
  leave: { tone: 'skip', text: 'not needed' },
  live: { tone: 'wait', text: 'decided later' },
  blocked: { tone: 'fail', text: 'blocked' },
};

function PlanView({ plan }: { readonly plan: Plan }) {
  const computed = plan.filter((item) => item.plan === 'compute' || item.plan === 'grow').length;
  return (
    <section aria-label="Plan">
      <h3>What it would do</h3>
      <p>
        {plural(computed, 'action')} of {plan.length} would be computed.
      </p>
      <ul class="rows">
        {plan.map((item) => (
          <li key={item.action} class="stacked" title={item.why}>
            <div class="row-line">
              <span class="clip grow">{item.action}</span>
              <span class={`badge tone-${planLooks[item.plan].tone}`}>
                <Glyph tone={planLooks[item.plan].tone} />
                {planLooks[item.plan].text}
              </span>
            </div>
            <p class="quiet">{item.why}</p>
          </li>
        ))}
      </ul>
    </section>
  );
}
