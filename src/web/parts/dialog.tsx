// A question before something that cannot be taken back, and other windows above the page. The browser keeps the focus inside.
import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Icon } from './icon.tsx';

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

export function Dialog({ title, onClose, children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    element.current?.showModal();
  }, []);
  return (
    <dialog ref={element} onClose={onClose} aria-label={title}>
      <div class="dialog-head">
        <h2>{title}</h2>
        <button
          type="button"
          class="button plain"
          aria-label="Close"
          onClick={() => element.current?.close()}
        >
          <Icon name="close" />
        </button>
      </div>
      {children}
    </dialog>
  );
}

interface Question {
  readonly title: string;
  readonly text: string;
  readonly yes: string;
  readonly answer: (yes: boolean) => void;
}

const question = signal<Question | undefined>(undefined);

/** Asks; resolves to true only if the user agrees. */
export function confirmed(title: string, text: string, yes: string): Promise<boolean> {
  return new Promise((resolve) => {
    question.value = {
      title,
      text,
      yes,
      answer(agreed) {
        question.value = undefined;
        resolve(agreed);
      },
    };
  });
}

export function Questions() {
  const asked = question.value;
  if (!asked) return null;
  return (
    <Dialog title={asked.title} onClose={() => asked.answer(false)}>
      <p>{asked.text}</p>
      <div class="dialog-actions">
        <button type="button" class="button" onClick={() => asked.answer(false)}>
          Leave it
        </button>
        <button type="button" class="button danger" onClick={() => asked.answer(true)}>
          {asked.yes}
        </button>
      </div>
    </Dialog>
  );
}
