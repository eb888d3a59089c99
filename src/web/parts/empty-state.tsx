// Nothing here yet: says why, and what to do next.
import type { ComponentChildren } from 'preact';

export function EmptyState({
  title,
  children,
}: {
  readonly title: string;
  readonly children?: ComponentChildren;
}) {
  return (
    <div class="empty">
      <svg width="72" height="40" viewBox="0 0 72 40" aria-hidden="true">
        <path d="M4 12c10-8 18 8 28 0s16-6 36-2" />
        <path d="M4 22c10-8 18 8 28 0s16-6 36-2" />
        <path d="M4 32c10-8 18 8 28 0s16-6 36-2" />
      </svg>
      <p class="empty-title">{title}</p>
      {children ? <div class="empty-text">{children}</div> : null}
    </div>
  );
}
