// Icons, drawn here so that nothing is loaded. Decorative: what they mean stands beside them or in a label.
import type { Tone } from '../base/states.ts';

const paths: Readonly<Record<string, string>> = {
  runs: 'M4 6h10M4 12h16M4 18h7',
  datasets:
    'M4 6c0-1.7 3.6-3 8-3s8 1.3 8 3-3.6 3-8 3-8-1.3-8-3zm0 0v12c0 1.7 3.6 3 8 3s8-1.3 8-3V6M4 12c0 1.7 3.6 3 8 3s8-1.3 8-3',
  storage: 'M4 20V10m5.3 10V4m5.4 16v-8M20 20V7',
  workers: 'M4 5h16v6H4zM4 13h16v6H4zM8 8h.01M8 16h.01',
  history: 'M12 7v5l3 2M3.5 12a8.5 8.5 0 1 0 2.6-6.1L3.5 8.4M3.5 4v4.4h4.4',
  settings: 'M4 7h9m4 0h3M4 17h3m4 0h9M13 4.5v5M7 14.5v5',
  add: 'M12 5v14M5 12h14',
  close: 'M6 6l12 12M18 6L6 18',
  search: 'M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14zm5 12l4.5 4.5',
  pin: 'M9 4h6l-1 6 4 4H6l4-4zM12 14v6',
  download: 'M12 4v11m-4.5-4.5L12 15l4.5-4.5M5 20h14',
  trash: 'M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13',
  again: 'M20 12a8 8 0 1 1-2.5-5.8L20 8.5M20 4v4.5h-4.5',
  stop: 'M7 7h10v10H7z',
  help: 'M9.5 9a2.6 2.6 0 1 1 3.8 2.3c-.9.5-1.3 1-1.3 2.2M12 17h.01M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18z',
  compare: 'M9 4v16M15 4v16M4 8h5M4 16h5M15 8h5M15 16h5',
  fit: 'M4 9V4h5M20 9V4h-5M4 15v5h5M20 15v5h-5',
  minus: 'M5 12h14',
  file: 'M6 3h8l4 4v14H6zM14 3v4h4',
  folder: 'M3 6h6l2 2h10v11H3z',
  back: 'M15 5l-7 7 7 7',
};

export function Icon({ name, size = 18 }: { readonly name: string; readonly size?: number }) {
  return (
    <svg class="icon" width={size} height={size} viewBox="0 0 24 24" aria-hidden="true">
      <path
        d={paths[name] ?? ''}
        fill="none"
        stroke="currentColor"
        stroke-width="1.8"
        stroke-linecap="round"
        stroke-linejoin="round"
      />
    </svg>
  );
}

/** Paths within 16 × 16; canvases draw the same ones. */
export const glyphs: Readonly<Record<Tone, string>> = {
  ok: 'M3.5 8.5l3 3 6-7',
  reuse: 'M12.6 6.2A5 5 0 1 0 13 8.6M12.9 2.8v3.6H9.3',
  run: 'M5.5 3.5l7 4.5-7 4.5z',
  fail: 'M4 4l8 8M12 4l-8 8',
  stop: 'M4.5 4.5h7v7h-7z',
  skip: 'M3.5 8h9',
  ready: 'M8 4.5a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7z',
  wait: 'M8 3a5 5 0 1 0 0 10A5 5 0 0 0 8 3z',
  keep: 'M8 2.5l1.7 3.5 3.8.5-2.8 2.7.7 3.8L8 11.2 4.6 13l.7-3.8-2.8-2.7 3.8-.5z',
};

/** Glyphs that are filled rather than stroked. */
export const filledTones: ReadonlySet<Tone> = new Set<Tone>(['run', 'stop', 'ready', 'keep']);

export function Glyph({ tone }: { readonly tone: Tone }) {
  const filled = filledTones.has(tone);
  return (
    <svg class="glyph" width="14" height="14" viewBox="0 0 16 16" aria-hidden="true">
      <path
        d={glyphs[tone]}
        fill={filled ? 'currentColor' : 'none'}
        stroke={filled ? 'none' : 'currentColor'}
        stroke-width="2"
        stroke-linecap="round"
        stroke-linejoin="round"
      />
    </svg>
  );
}
