// The frame: navigation, the page of the address, and what lies above all pages.
import type { ComponentChildren, JSX } from 'preact';
import { connected } from './base/live.ts';
import { closeNotice, notices } from './base/notices.ts';
import { path } from './base/router.ts';
import { session, sessionProblem, wantsLogin } from './base/session.ts';
import { helpShown, shortcuts } from './base/shortcuts.ts';
import { ComparePage } from './pages/compare.tsx';
import { DatasetPage } from './pages/dataset.tsx';
import { DatasetsPage } from './pages/datasets.tsx';
import { HistoryPage } from './pages/history.tsx';
import { LoginPage } from './pages/login.tsx';
import { RunPage } from './pages/run.tsx';
import { RunsPage } from './pages/runs.tsx';
import { SettingsPage } from './pages/settings.tsx';
import { StoragePage } from './pages/storage.tsx';
import { SubmitPage } from './pages/submit.tsx';
import { WorkersPage } from './pages/workers.tsx';
import { Dialog, Questions } from './parts/dialog.tsx';
import { EmptyState } from './parts/empty-state.tsx';
import { Icon } from './parts/icon.tsx';
import { Mark } from './parts/mark.tsx';
import { ProblemNote } from './parts/problem-note.tsx';

const places = [
  ['/runs', 'Runs', 'runs'],
  ['/datasets', 'Datasets', 'datasets'],
  ['/storage', 'Storage', 'storage'],
  ['/workers', 'Workers', 'workers'],
  ['/history', 'History', 'history'],
  ['/settings', 'Settings', 'settings'],
] as const;

const pages: readonly (readonly [RegExp, (part: string) => JSX.Element])[] = [
  [/^\/(?:runs)?$/, () => <RunsPage />],
  [/^\/runs\/(\d+)$/, (run) => <RunPage key={run} run={Number(run)} />],
  [/^\/submit$/, () => <SubmitPage />],
  [/^\/compare$/, () => <ComparePage />],
  [/^\/datasets$/, () => <DatasetsPage />],
  [/^\/datasets\/([0-9a-f]+)$/, (dataset) => <DatasetPage key={dataset} dataset={dataset} />],
  [/^\/storage$/, () => <StoragePage />],
  [/^\/workers$/, () => <WorkersPage />],
  [/^\/history$/, () => <HistoryPage />],
  [/^\/settings$/, () => <SettingsPage />],
];

export function App() {
  if (wantsLogin(sessionProblem.value)) return <LoginPage />;
  return (
    <>
      <Side />
      <main id="content" tabIndex={-1}>
        {connected.value ? null : (
          <p class="offline" role="status">
            The connection to the server is broken. What you see may be out of date; the page tries again by
            itself.
          </p>
        )}
        {sessionProblem.value === undefined ? <Page /> : <Unreachable />}
      </main>
      <Notices />
      <Questions />
      {helpShown.value ? <Help /> : null}
    </>
  );
}

function Page() {
  const at = path.value;
  for (const [pattern, render] of pages) {
    const found = pattern.exec(at);
    if (found) return render(found[1] ?? '');
  }
  return (
    <div class="page">
      <EmptyState title="There is no such page">
        <a href="/runs">Go to the runs</a>
      </EmptyState>
    </div>
  );
}

function Unreachable() {
  return (
    <div class="page">
      <ProblemNote error={sessionProblem.value} again={() => location.reload()} />
    </div>
  );
}

function Side() {
  const at = path.value === '/' ? '/runs' : path.value;
  return (
    <div class="side">
      <a class="skip visually-hidden" href="#content">
        Skip to the content
      </a>
      <a class="brand" href="/runs">
        <Mark />
        Varve
      </a>
      <nav aria-label="Pages">
        <ul>
          {places.map(([href, text, icon]) => (
            <li key={href}>
              <a href={href} aria-current={at.startsWith(href) ? 'page' : undefined}>
                <Icon name={icon} />
                {text}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <div class="side-foot">
        <button type="button" class="button plain small" onClick={() => (helpShown.value = true)}>
          <Icon name="help" size={16} />
          Keys <kbd>?</kbd>
        </button>
        {session.value ? (
          <span class="clip">
            {session.value.user}, {session.value.role}
          </span>
        ) : null}
      </div>
    </div>
  );
}

function Notices() {
  return (
    <div class="notices" role="status" aria-live="polite">
      {notices.value.map(({ id, tone, text, hint }) => (
        <div key={id} class={`notice tone-${tone}`}>
          <div>
            <p>{text}</p>
            {hint ? <p class="quiet">{hint}</p> : null}
          </div>
          <button type="button" class="button plain small" aria-label="Close" onClick={() => closeNotice(id)}>
            <Icon name="close" size={16} />
          </button>
        </div>
      ))}
    </div>
  );
}

function Help() {
  const pressed = (keys: string): ComponentChildren =>
    keys.split(' ').map((key) => <kbd key={key}>{key}</kbd>);
  return (
    <Dialog title="Keys" onClose={() => (helpShown.value = false)}>
      <ul class="keys">
        {shortcuts.map(({ keys, text }) => (
          <li key={keys}>
            <span class="pressed">{pressed(keys)}</span>
            {text}
          </li>
        ))}
      </ul>
      <p>
        <a href="/docs/">Documentation</a>
      </p>
    </Dialog>
  );
}
