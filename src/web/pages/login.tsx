// The way in, where the server wants to know who asks: through the organisation's log-in, or with a token.
import { useSignal } from '@preact/signals';
import { startLive } from '../base/live.ts';
import { useResource } from '../base/resource.ts';
import { readSession, session } from '../base/session.ts';
import { Mark } from '../parts/mark.tsx';

export function LoginPage() {
  const methods = useResource(
    'methods',
    async () => (await (await fetch('/auth/methods')).json()) as { oidc: boolean },
  );
  const token = useSignal('');
  const problem = useSignal('');
  const enter = async (): Promise<void> => {
    problem.value = '';
    const response = await fetch('/auth/token', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token: token.value.trim() }),
    });
    if (!response.ok) {
      const { detail } = (await response.json()) as { detail?: string };
      problem.value = detail ?? `the server answered ${response.status}`;
      return;
    }
    await readSession();
    if (session.value) startLive();
  };
  return (
    <main class="login">
      <div class="card">
        <h1>
          <Mark /> Varve
        </h1>
        <p class="quiet">This server wants to know who you are.</p>
        {methods.value.value?.oidc ? (
          <a
            class="button primary"
            target="_self"
            href={`/auth/login?return=${encodeURIComponent(location.pathname + location.search)}`}
          >
            Log in
          </a>
        ) : null}
        <form
          class="stack"
          onSubmit={(event) => {
            event.preventDefault();
            void enter();
          }}
        >
          <label class="field">
            {methods.value.value?.oidc ? 'or with a token' : 'Token'}
            <input
              type="password"
              required
              autoComplete="current-password"
              value={token.value}
              onInput={(event) => (token.value = event.currentTarget.value)}
            />
          </label>
          <button type="submit" class="button">
            Enter
          </button>
        </form>
        {problem.value ? (
          <p class="note tone-fail" role="alert">
            {problem.value}
          </p>
        ) : (
          <p class="quiet">
            An administrator makes tokens with <code>varve tokens add NAME</code>.
          </p>
        )}
      </div>
    </main>
  );
}
