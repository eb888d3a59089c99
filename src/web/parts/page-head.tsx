// The top of a page: where one is, and what can be done here.
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';

interface PageHeadProps {
  readonly title: string;
  /** Beside the title, for instance a state. */
  readonly beside?: ComponentChildren;
  readonly about?: ComponentChildren;
  readonly back?: { readonly href: string; readonly text: string };
  readonly children?: ComponentChildren;
}

export function PageHead({ title, beside, about, back, children }: PageHeadProps) {
  useEffect(() => {
    document.title = `${title} · Varve`;
  }, [title]);
  return (
    <header class="page-head">
      <div class="page-title">
        {back ? (
          <a class="back" href={back.href}>
            {back.text}
          </a>
        ) : null}
        <h1>
          <span class="clip">{title}</span> {beside}
        </h1>
        {about ? <div class="page-about">{about}</div> : null}
      </div>
      {children ? <div class="page-actions">{children}</div> : null}
    </header>
  );
}
