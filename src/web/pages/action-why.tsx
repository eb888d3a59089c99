// Why an action ran or was reused, down to what differs from the nearest thing computed before.
import { api, type Output } from '../base/api.ts';
import { shortSignature } from '../base/format.ts';
import { useResource } from '../base/resource.ts';

const shownDifferences = 8;

export function ActionWhy({ action }: { readonly action: Output<'getAction'> }) {
  const why = useResource(`why ${action.action} ${action.state}`, async () => {
    const { items } = await api.explainRun({ run: action.run, action: action.key });
    return items[0];
  });
  const nearest = why.value.value?.nearest;
  return (
    <>
      <p>{capital(action.why)}</p>
      {nearest && nearest.differences.length > 0 ? (
        <div class="differences">
          <p class="quiet">
            The nearest that was computed before is{' '}
            <a href={`/datasets/${nearest.signature}`}>{shortSignature(nearest.signature)}</a>. It differs in:
          </p>
          <ul class="rows">
            {nearest.differences.slice(0, shownDifferences).map((difference) => (
              <li key={difference.path} class="difference">
                <code>{difference.path}</code>
                <Before value={difference.before} />
                <After value={difference.now} />
              </li>
            ))}
          </ul>
        </div>
      ) : null}
    </>
  );
}

function Before({ value }: { readonly value: unknown }) {
  return value === undefined ? null : (
    <del>
      <code>{short(value)}</code>
    </del>
  );
}

function After({ value }: { readonly value: unknown }) {
  return value === undefined ? null : (
    <ins>
      <code>{short(value)}</code>
    </ins>
  );
}

function short(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > 300 ? `${text.slice(0, 300)}…` : text;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
