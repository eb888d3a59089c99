// Rules about what is always kept, never kept, and how much results a user may hold.
import { useSignal } from '@preact/signals';
import { api, type Input } from '../base/api.ts';
import { attempt } from '../base/notices.ts';
import { useResource } from '../base/resource.ts';
import { Loading } from '../parts/paged-table.tsx';

type Effect = Input<'addRule'>['effect'];

const effects: Readonly<Record<Effect, string>> = {
  keep: 'always keep',
  'never-keep': 'never keep',
  'leaf-quota': 'limit results of',
};

export function Rules() {
  const rules = useResource('rules', () => api.listRules({}));
  const [effect, name, user, quota] = [
    useSignal<Effect>('keep'),
    useSignal(''),
    useSignal(''),
    useSignal(''),
  ];
  const items = rules.value.value?.items;
  const change = async (what: () => Promise<unknown>, done: string): Promise<void> => {
    if (await attempt(what, done)) await rules.refresh();
  };
  const isQuota = effect.value === 'leaf-quota';
  const add = (): Promise<void> =>
    change(
      () =>
        api.addRule({
          effect: effect.value,
          ...(name.value && !isQuota ? { name: name.value } : {}),
          ...(user.value ? { user: user.value } : {}),
          ...(isQuota ? { quotaBytes: Math.round(Number(quota.value) * 1e9) } : {}),
        }),
      'The rule holds from now on',
    );
  return (
    <section class="card">
      <h2>Rules of storage</h2>
      <form
        class="toolbar"
        onSubmit={(event) => {
          event.preventDefault();
          void add();
        }}
      >
        <select
          aria-label="What the rule does"
          value={effect.value}
          onChange={(event) => (effect.value = event.currentTarget.value as Effect)}
        >
          {Object.entries(effects).map(([id, text]) => (
            <option key={id} value={id}>
              {text}
            </option>
          ))}
        </select>
        {isQuota ? null : (
          <label>
            actions named{' '}
            <input
              placeholder="align*"
              value={name.value}
              onInput={(event) => (name.value = event.currentTarget.value)}
            />
          </label>
        )}
        <label>
          {isQuota ? 'user' : 'of user'}{' '}
          <input
            placeholder="anybody"
            value={user.value}
            onInput={(event) => (user.value = event.currentTarget.value)}
          />
        </label>
        {isQuota ? (
          <label>
            to{' '}
            <input
              required
              type="number"
              min="0"
              step="any"
              value={quota.value}
              onInput={(event) => (quota.value = event.currentTarget.value)}
            />{' '}
            GB
          </label>
        ) : null}
        <button type="submit" class="button">
          Add the rule
        </button>
      </form>
      {!items ? (
        <Loading />
      ) : (
        <ul class="rows">
          {items.map((rule) => (
            <li key={rule.id}>
              <span class="grow">{rule.text}</span>
              <span class="quiet">by {rule.createdBy}</span>
              <button
                type="button"
                class="button small"
                onClick={() => change(() => api.removeRule({ rule: rule.id }), 'The rule is gone')}
              >
                Remove
              </button>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
