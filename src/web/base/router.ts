// Addresses of pages: the path says which page, the query says how it is looked at. Links stay links; clicks on them are handled here.
import { computed, signal } from '@preact/signals';

const address = signal(current());

function current(): string {
  return `${location.pathname}${location.search}`;
}

export const path = computed(() => address.value.split('?')[0] as string);
const query = computed(() => new URLSearchParams(address.value.split('?')[1] ?? ''));

/** A value of the query, or undefined. */
export function param(name: string): string | undefined {
  return query.value.get(name) ?? undefined;
}

/** Goes to another page and to its top. */
export function go(to: string): void {
  history.pushState(null, '', to);
  address.value = current();
  document.querySelector('main')?.scrollTo(0, 0);
}

/** Changes values of the query and stays where it is; undefined removes one. */
export function setParams(
  values: Readonly<Record<string, string | undefined>>,
  how: 'push' | 'replace' = 'replace',
): void {
  const next = new URLSearchParams(query.peek());
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined || value === '') next.delete(name);
    else next.set(name, value);
  }
  const text = next.toString();
  const to = `${path.peek()}${text === '' ? '' : `?${text}`}`;
  if (to === address.peek()) return;
  if (how === 'push') history.pushState(null, '', to);
  else history.replaceState(null, '', to);
  address.value = current();
}

export function startRouter(): void {
  addEventListener('popstate', () => {
    address.value = current();
  });
  document.addEventListener('click', (event) => {
    if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey)
      return;
    const link = (event.target as Element).closest('a');
    if (!link || link.target || link.hasAttribute('download') || link.origin !== location.origin || link.hash)
      return;
    if (/^\/(api|assets|docs|licenses)/.test(link.pathname)) return;
    event.preventDefault();
    go(`${link.pathname}${link.search}`);
  });
}
