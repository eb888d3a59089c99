// Users: who may do what, and see which projects.
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

type User = Item<'listUsers'>;

const roles = ['viewer', 'submitter', 'admin'] as const;

export function Users() {
  const users = useResource('users', () => api.listUsers({}));
  const items = users.value.value?.items;
  const change = async (what: () => Promise<unknown>, done: string): Promise<void> => {
    if (await attempt(what, done)) await users.refresh();
  };
  const disable = async ({ user }: User): Promise<void> => {
    if (
      await confirmed(
        `Shut ${user} out?`,
        'Log-ins and tokens stop working. What they computed stays.',
        'Shut out',
      )
    )
      await change(() => api.disableUser({ user }), `${user} is shut out`);
  };
  return (
    <section class="card">
      <h2>Users</h2>
      {session.value?.via === 'local' ? (
        <p class="quiet">
          Nobody else can reach this server yet. Add the first user as an administrator and make a token for
          them on the command line: <code>varve users add ann --role admin; varve tokens add ann</code>. From
          then on everybody must prove who they are, here as well.
        </p>
      ) : (
        <NewUser
          onAdd={(user, role, projects) =>
            change(() => api.putUser({ user, role, projects }), `${user} may come in`)
          }
        />
      )}
      {users.problem.value ? (
        <ProblemNote error={users.problem.value} />
      ) : !items ? (
        <Loading />
      ) : items.length === 0 ? null : (
        <Table
          short
          label="Users"
          rows={items}
          keyOf={(user) => user.user}
          columns={columns({
            disable,
            enable: ({ user }) => change(() => api.putUser({ user }), `${user} may come in again`),
            setRole: ({ user }, role) => change(() => api.putUser({ user, role }), `${user} is ${role} now`),
          })}
        />
      )}
    </section>
  );
}

function NewUser({
  onAdd,
}: {
  readonly onAdd: (user: string, role: User['role'], projects: string[]) => Promise<void>;
}) {
  const [name, role, projects] = [useSignal(''), useSignal<User['role']>('submitter'), useSignal('')];
  return (
    <form
      class="toolbar"
      onSubmit={(event) => {
        event.preventDefault();
        void onAdd(
          name.value,
          role.value,
          projects.value.split(/[\s,]+/).filter((one) => one !== ''),
        );
      }}
    >
      <label>
        Name{' '}
        <input
          required
          pattern="[a-z0-9][a-z0-9._\-]*"
          value={name.value}
          onInput={(event) => (name.value = event.currentTarget.value)}
        />
      </label>
      <label>
        Role{' '}
        <RoleChoice
          value={role.value}
          label="Role of the new user"
          onChange={(next) => (role.value = next)}
        />
      </label>
      <label>
        Projects{' '}
        <input
          placeholder="genomes, maps"
          value={projects.value}
          onInput={(event) => (projects.value = event.currentTarget.value)}
        />
      </label>
      <button type="submit" class="button primary">
        Add
      </button>
    </form>
  );
}

interface RoleChoiceProps {
  readonly value: User['role'];
  readonly label: string;
  readonly onChange: (role: User['role']) => void;
}

function RoleChoice({ value, label, onChange }: RoleChoiceProps) {
  return (
    <select
      aria-label={label}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value as User['role'])}
    >
      {roles.map((role) => (
        <option key={role} value={role}>
          {role}
        </option>
      ))}
    </select>
  );
}

interface UserChanges {
  readonly disable: (user: User) => void;
  readonly enable: (user: User) => void;
  readonly setRole: (user: User, role: User['role']) => void;
}

function columns({ disable, enable, setRole }: UserChanges): Column<User>[] {
  return [
    { head: 'User', cell: (user) => user.user },
    {
      head: 'Role',
      cell: (user) => (
        <RoleChoice
          value={user.role}
          label={`Role of ${user.user}`}
          onChange={(role) => setRole(user, role)}
        />
      ),
    },
    { head: 'Projects', kind: 'wide', cell: (user) => user.projects.join(', ') || '–' },
    { head: 'Added', kind: 'extra', cell: (user) => <Ago at={user.createdAt} /> },
    {
      head: 'Access',
      width: '1%',
      cell: (user) =>
        user.disabledAt === null ? (
          <button type="button" class="button small danger" onClick={() => disable(user)}>
            Shut out
          </button>
        ) : (
          <button type="button" class="button small" onClick={() => enable(user)}>
            Let in
          </button>
        ),
    },
  ];
}
