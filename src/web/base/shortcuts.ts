// Keys that work everywhere on a page. `g r` is two keys, one after the other.
import { signal } from '@preact/signals';
import { go } from './router.ts';

export interface Shortcut {
  readonly keys: string;
  readonly text: string;
}

export const helpShown = signal(false);

const waitMs = 1200;

const places: Readonly<Record<string, string>> = {
  r: '/runs',
  d: '/datasets',
  s: '/storage',
  w: '/workers',
  h: '/history',
  ',': '/settings',
};

export const shortcuts: readonly Shortcut[] = [
  { keys: 'g r', text: 'go to runs' },
  { keys: 'g d', text: 'go to datasets' },
  { keys: 'g s', text: 'go to storage' },
  { keys: 'g w', text: 'go to workers' },
  { keys: 'g h', text: 'go to history' },
  { keys: 'g ,', text: 'go to settings' },
  { keys: 'n', text: 'submit a workflow' },
  { keys: '/', text: 'search' },
  { keys: 'j', text: 'next row' },
  { keys: 'k', text: 'previous row' },
  { keys: 'Enter', text: 'open the row' },
  { keys: 'Escape', text: 'close the panel or dialog' },
  { keys: '?', text: 'these keys' },
  { keys: '← ↑ → ↓', text: 'in the graph: next action that way' },
  { keys: '+ − 0', text: 'in the graph: closer, further, everything' },
  { keys: 'Space', text: 'in the graph: open or close a group' },
];

let first: string | undefined;
let firstAt = 0;

function typing(target: EventTarget | null): boolean {
  const element = target instanceof Element ? target : null;
  return element?.closest('input, textarea, select, [contenteditable], .editor') != null;
}

function moveRow(step: number): void {
  const rows = [...document.querySelectorAll<HTMLElement>('[data-row]')];
  if (rows.length === 0) return;
  const at = rows.indexOf(document.activeElement as HTMLElement);
  const next = at < 0 ? (step > 0 ? 0 : rows.length - 1) : Math.min(rows.length - 1, Math.max(0, at + step));
  rows[next]?.focus();
  rows[next]?.scrollIntoView({ block: 'nearest' });
}

export function startShortcuts(): void {
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || typing(event.target)) return;
    if (document.querySelector('dialog[open]') && event.key !== '?') return;
    if (first === 'g' && Date.now() - firstAt < waitMs && places[event.key]) {
      event.preventDefault();
      first = undefined;
      go(places[event.key] as string);
      return;
    }
    first = event.key;
    firstAt = Date.now();
    const done = single(event.key);
    if (done) event.preventDefault();
  });
}

function single(key: string): boolean {
  switch (key) {
    case '?':
      helpShown.value = !helpShown.value;
      return true;
    case 'n':
      go('/submit');
      return true;
    case '/':
      document.querySelector<HTMLElement>('input[type=search]')?.focus();
      return true;
    case 'j':
      moveRow(1);
      return true;
    case 'k':
      moveRow(-1);
      return true;
    default:
      return false;
  }
}
