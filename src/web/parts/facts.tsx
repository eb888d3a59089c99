// Names and values, one below the other; values that are not known are left out.
import type { ComponentChildren } from 'preact';

export function Facts({ items }: { readonly items: readonly (readonly [string, ComponentChildren])[] }) {
  return (
    <dl class="facts">
      {items.map(([name, value]) =>
        value === null || value === undefined || value === false ? null : (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ),
      )}
    </dl>
  );
}

/** One large figure with what it means. */
export function Figure({
  value,
  text,
  tone,
}: {
  readonly value: ComponentChildren;
  readonly text: string;
  readonly tone?: string;
}) {
  return (
    <div class={`figure ${tone ? `tone-${tone}` : ''}`}>
      <span class="figure-value">{value}</span>
      <span class="figure-text">{text}</span>
    </div>
  );
}
