// Settings: how the page looks, who one is here, tokens for programs, and for administrators the users.
import { useSignal } from '@preact/signals';
import { api } from '../base/api.ts';
import { attempt } from '../base/notices.ts';
import { isAdmin, readSession, session } from '../base/session.ts';
import { type Theme, theme } from '../base/theme.ts';
import { Facts } from '../parts/facts.tsx';
import { Chips } from '../parts/filters.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { Loading } from '../parts/paged-table.tsx';
import { Rules } from './rules.tsx';
import { Tokens } from './tokens.tsx';
import { Users } from './users.tsx';

const themes: readonly { readonly id: Theme; readonly text: string }[] = [
  { id: 'auto', text: 'As the system' },
  { id: 'light', text: 'Light' },
  { id: 'dark', text: 'Dark' },
];

export function SettingsPage() {
  return (
    <div class="page">
      <PageHead title="Settings" />
      <div class="grid">
        <section class="card">
          <h2>Appearance</h2>
          <Chips
            label="Theme"
            options={themes}
            chosen={theme.value}
            onChoose={(id) => (theme.value = id as Theme)}
          />
        </section>
        <Yourself />
      </div>
      <Tokens />
      {isAdmin.value ? (
        <>
          <Users />
          <Rules />
          <Upkeep />
        </>
      ) : null}
    </div>
  );
}

const ways = { local: 'the user of this machine', token: 'a token', login: 'a log-in' };

function Yourself() {
  const known = session.value;
  if (!known) return <Loading />;
  const logOut = async (): Promise<void> => {
    await attempt(async () => {
      await fetch('/auth/logout', { method: 'POST' });
      await readSession();
    });
  };
  return (
    <section class="card">
      <div class="card-head">
        <h2>You</h2>
        {known.via === 'local' ? null : (
          <button type="button" class="button small" onClick={logOut}>
            Log out
          </button>
        )}
      </div>
      <Facts
        items={[
          ['Name', known.user],
          ['Role', known.role],
          ['Known by', ways[known.via]],
          ['Projects', known.projects.join(', ')],
          ['Server', `Varve ${known.version} on ${known.dialect}`],
          [
            'API',
            <>
              <a href="/api">operations to try out</a>, <a href="/api/v1/openapi.json">OpenAPI document</a>
            </>,
          ],
          ['Documentation', <a href="/docs/">guide and reference</a>],
          ['Licences', <a href="/licenses.txt">of the parts of this page</a>],
        ]}
      />
    </section>
  );
}

function Upkeep() {
  const said = useSignal('');
  const clean = (): Promise<boolean> =>
    attempt(async () => {
      const { deleted, attempts, orphans } = await api.cleanStorage({});
      said.value = `Removed ${deleted} datasets that were given up, leftovers of ${attempts} attempts and ${orphans} folders that belong to nothing.`;
    });
  return (
    <section class="card">
      <h2>Upkeep</h2>
      <p class="quiet">
        Leftovers of crashed attempts are removed by themselves after a while. This does it now.
      </p>
      <div class="toolbar">
        <button type="button" class="button" onClick={clean}>
          Clean up
        </button>
        <span role="status">{said.value}</span>
      </div>
    </section>
  );
}
