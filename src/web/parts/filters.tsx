// How lists are narrowed down.
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';

const pauseMs = 200;

interface SearchFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (text: string) => void;
}

/** Tells of a change once the typing pauses. */
export function SearchField({ label, value, onChange }: SearchFieldProps) {
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  // What is typed stays in the field while the page around it changes; an address that is opened puts its text there.
  const typed = useSignal(value);
  useEffect(() => () => clearTimeout(timer.current), []);
  useEffect(() => {
    if (timer.current === undefined && typed.peek().trim() !== value) typed.value = value;
  }, [value]);
  return (
    <input
      type="search"
      aria-label={label}
      placeholder={`${label}…`}
      value={typed.value}
      onInput={(event) => {
        typed.value = event.currentTarget.value;
        clearTimeout(timer.current);
        timer.current = setTimeout(() => {
          timer.current = undefined;
          onChange(typed.peek().trim());
        }, pauseMs);
      }}
    />
  );
}

interface ChipsProps {
  readonly label: string;
  readonly options: readonly { readonly id: string; readonly text: string }[];
  readonly chosen: string;
  readonly onChoose: (id: string) => void;
}

export function Chips({ label, options, chosen, onChoose }: ChipsProps) {
  return (
    <fieldset class="chips" aria-label={label}>
      {options.map(({ id, text }) => (
        <button key={id} type="button" class="chip" aria-pressed={id === chosen} onClick={() => onChoose(id)}>
          {text}
        </button>
      ))}
    </fieldset>
  );
}
