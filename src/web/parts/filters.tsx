// How lists are narrowed down.
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
  useEffect(() => () => clearTimeout(timer.current), []);
  return (
    <input
      type="search"
      aria-label={label}
      placeholder={`${label}…`}
      value={value}
      onInput={(event) => {
        const text = event.currentTarget.value.trim();
        clearTimeout(timer.current);
        timer.current = setTimeout(() => onChange(text), pauseMs);
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
