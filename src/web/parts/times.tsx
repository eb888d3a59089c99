// Moments and lengths of time that keep up with the clock.
import { now } from '../base/clock.ts';
import { agoText, durationText, timeText } from '../base/format.ts';

export function Ago({ at }: { readonly at: number | null | undefined }) {
  if (at === null || at === undefined) return <span class="quiet">–</span>;
  return (
    <time dateTime={new Date(at).toISOString()} title={timeText(at)}>
      {agoText(at, now.value)}
    </time>
  );
}

/** From a beginning to an end, or to now. */
export function Elapsed({ from, to }: { readonly from: number | null; readonly to: number | null }) {
  if (from === null) return <span class="quiet">–</span>;
  return <span class="number">{durationText((to ?? now.value) - from)}</span>;
}
