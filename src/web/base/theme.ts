// Light or dark: as the system prefers, or as chosen here.
import { effect, signal } from '@preact/signals';

export type Theme = 'auto' | 'light' | 'dark';

const key = 'varve-theme';

function stored(): Theme {
  try {
    const value = localStorage.getItem(key);
    return value === 'light' || value === 'dark' ? value : 'auto';
  } catch {
    return 'auto';
  }
}

export const theme = signal<Theme>(stored());

/** Changes with every change of what is shown, for what is drawn rather than styled. */
export const paint = signal(0);

export function startTheme(): void {
  effect(() => {
    const chosen = theme.value;
    if (chosen === 'auto') delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = chosen;
    try {
      if (chosen === 'auto') localStorage.removeItem(key);
      else localStorage.setItem(key, chosen);
    } catch {
      // Storage is switched off: the choice lasts until the page is closed.
    }
    paint.value = paint.peek() + 1;
  });
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
    paint.value += 1;
  });
}

/** A colour of the style sheet, for canvases. */
export function colour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}
