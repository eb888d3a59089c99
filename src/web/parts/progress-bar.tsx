// How far the actions of a run are, by tone.
import { countText } from '../base/format.ts';
import { lookOf, type Tone, toneOrder, toneText } from '../base/states.ts';
import { Glyph } from './icon.tsx';

export type ToneCounts = Readonly<Partial<Record<Tone, number>>>;

export function toneCounts(states: Readonly<Record<string, number>>): ToneCounts {
  const counts: Partial<Record<Tone, number>> = {};
  for (const [state, count] of Object.entries(states)) {
    const { tone } = lookOf('action', state);
    counts[tone] = (counts[tone] ?? 0) + count;
  }
  return counts;
}

export function ProgressBar({ counts, small }: { readonly counts: ToneCounts; readonly small?: boolean }) {
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const text = toneOrder
    .flatMap((tone) => (counts[tone] ? [`${countText(counts[tone])} ${toneText[tone]}`] : []))
    .join(', ');
  return (
    <div
      class={small ? 'progress small' : 'progress'}
      role="img"
      aria-label={text || 'no actions'}
      title={text}
    >
      {toneOrder.map((tone) =>
        counts[tone] && total > 0 ? (
          <span key={tone} class={`tone-${tone}`} style={{ flexGrow: String(counts[tone] / total) }} />
        ) : null,
      )}
    </div>
  );
}

export function ToneLegend({ counts }: { readonly counts: ToneCounts }) {
  return (
    <ul class="legend">
      {toneOrder.map((tone) =>
        counts[tone] ? (
          <li key={tone} class={`tone-${tone}`}>
            <Glyph tone={tone} />
            <span class="number">{countText(counts[tone])}</span> {toneText[tone]}
          </li>
        ) : null,
      )}
    </ul>
  );
}
