// A state as colour, glyph and word.
import { lookOf, type StateOf } from '../base/states.ts';
import { Glyph } from './icon.tsx';

export function StateBadge({ of, state }: { readonly of: StateOf; readonly state: string }) {
  const { tone, text } = lookOf(of, state);
  return (
    <span class={`badge tone-${tone}`} data-state={state} title={state}>
      <Glyph tone={tone} />
      {text}
    </span>
  );
}
