// Tokens: what programs and the command line prove with whose work they do.
import { useSignal } from '@preact/signals';
import { api, type Item } from '../base/api.ts';
import { attempt } from '../base/notices.ts';
import { useResource } from '../base/resource.ts';
import { session } from '../base/session.ts';
import { confirmed } from '../parts/dialog.tsx';
import { Loading } from '../parts/paged-table.tsx';
import { ProblemNote } from '../parts/problem-note.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { Ago } from '../parts/times.tsx';

type Token = Item<'listTokens'>;

const day = 24 * 3_600_000;
const lives = [
  { text: '30 days', ms: 30 * day },
  { text: 'a year', ms: 365 * day },
  { text: 'ever', ms: undefined },
];

export function Tokens() {
  const tokens = useResource('tokens', () => api.listTokens({}));
  const secret = useSignal<string | undefined>(undefined);
  const local = session.value?.via === 'local';
  const items = tokens.value.value?.items;
  const revoke = async (token: Token): Promise<void> => {
    const sure = await confirmed(
      `Revoke ${token.name || 'this token'}?`,
      'Programs that use it are refused from now on.',
      'Revoke',
    );
    if (sure && (await attempt(() => api.revokeToken({ token: token.token }), 'Revoked')))
      await tokens.refresh();
  };
  return (
    <section class="card">
      <h2>Tokens</h2>
      <p class="quiet">
        {local
          ? 'You are the user of this machine and need no token. As soon as there are users, everybody proves with one who they are.'
          : 'Programs and the command line prove with a token who they are: varve --server, or the header Authorization: Bearer.'}
      </p>
      {local ? null : (
        <NewToken
          onMade={(made) => {
            secret.value = made;
            void tokens.refresh();
          }}
        />
      )}
      {secret.value ? (
        <div class="note" role="status">
          <p>This is shown only now. Keep it like a password.</p>
          <code class="secret">{secret.value}</code>
        </div>
      ) : null}
      {tokens.problem.value ? (
        <ProblemNote error={tokens.problem.value} />
      ) : !items ? (
        <Loading />
      ) : items.length > 0 ? (
        <Table short label="Tokens" rows={items} columns={columns(revoke)} keyOf={(token) => token.token} />
      ) : null}
    </section>
  );
}

function NewToken({ onMade }: { readonly onMade: (secret: string) => void }) {
  const name = useSignal('');
  const life = useSignal(0);
  const make = (): Promise<boolean> =>
    attempt(async () => {
      const forMs = lives[life.value]?.ms;
      const made = await api.addToken({ name: name.value, ...(forMs === undefined ? {} : { forMs }) });
      name.value = '';
      onMade(made.secret);
    });
  return (
    <form
      class="toolbar"
      onSubmit={(event) => {
        event.preventDefault();
        void make();
      }}
    >
      <label>
        For{' '}
        <input
          required
          placeholder="my laptop"
          value={name.value}
          onInput={(event) => (name.value = event.currentTarget.value)}
        />
      </label>
      <label>
        good for{' '}
        <select value={life.value} onChange={(event) => (life.value = Number(event.currentTarget.value))}>
          {lives.map(({ text }, i) => (
            <option key={text} value={i}>
              {text}
            </option>
          ))}
        </select>
      </label>
      <button type="submit" class="button primary">
        Make a token
      </button>
    </form>
  );
}

function columns(revoke: (token: Token) => void): Column<Token>[] {
  return [
    { head: 'For', cell: (token) => token.name || '–' },
    { head: 'User', kind: 'wide', cell: (token) => token.user },
    { head: 'Role', cell: (token) => token.role },
    {
      head: 'Last used',
      kind: 'wide',
      cell: (token) => (token.usedAt === null ? 'never' : <Ago at={token.usedAt} />),
    },
    {
      head: 'Good until',
      kind: 'wide',
      cell: (token) =>
        token.revokedAt !== null
          ? 'revoked'
          : token.expiresAt === null
            ? 'for ever'
            : new Date(token.expiresAt).toLocaleDateString('en-GB'),
    },
    {
      head: 'Revoke',
      width: '1%',
      cell: (token) =>
        token.revokedAt === null ? (
          <button type="button" class="button small danger" onClick={() => revoke(token)}>
            Revoke
          </button>
        ) : null,
    },
  ];
}
