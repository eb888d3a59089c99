// What an attempt writes, as it writes it. Of a long log the end is shown; the whole of it can be downloaded.
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { downloadUrl } from '../base/api.ts';

interface LogViewProps {
  readonly action: number;
  readonly attempts: readonly number[];
  readonly live: boolean;
}

type Stream = 'stdout' | 'stderr';

const shownCharacters = 200_000;

export function LogView({ action, attempts, live }: LogViewProps) {
  const stream = useSignal<Stream>('stdout');
  const number = useSignal(attempts.at(-1) ?? 0);
  const text = useSignal('');
  const note = useSignal('');
  const box = useRef<HTMLPreElement>(null);
  const address = downloadUrl(`/actions/${action}/attempts/${number.value}/logs/${stream.value}`);
  useEffect(() => {
    const gone = new AbortController();
    text.value = '';
    note.value = '';
    follow(address, gone.signal, (more) => {
      const element = box.current;
      const atEnd = !element || element.scrollHeight - element.scrollTop - element.clientHeight < 40;
      text.value = (text.peek() + more).slice(-shownCharacters);
      if (atEnd) requestAnimationFrame(() => element?.scrollTo(0, element.scrollHeight));
    }).catch((error) => {
      if (!gone.signal.aborted) note.value = error instanceof Error ? error.message : String(error);
    });
    return () => gone.abort();
  }, [address]);
  return (
    <div class="log">
      <div class="toolbar">
        <fieldset class="chips" aria-label="Stream">
          {(['stdout', 'stderr'] as const).map((name) => (
            <button
              key={name}
              type="button"
              class="chip"
              aria-pressed={stream.value === name}
              onClick={() => (stream.value = name)}
            >
              {name}
            </button>
          ))}
        </fieldset>
        {attempts.length > 1 ? (
          <select
            aria-label="Attempt"
            value={number.value}
            onChange={(event) => (number.value = Number(event.currentTarget.value))}
          >
            {attempts.map((one) => (
              <option key={one} value={one}>
                attempt {one}
              </option>
            ))}
          </select>
        ) : null}
        <a href={address} download={`action-${action}-${stream.value}.log`}>
          Download
        </a>
        {live ? <span class="quiet">following</span> : null}
      </div>
      <pre class="block log-text" ref={box} tabIndex={0} aria-label={`Log, ${stream.value}`}>
        {text.value === '' ? (
          <span class="quiet">{note.value || 'Nothing was written here.'}</span>
        ) : (
          text.value
        )}
      </pre>
    </div>
  );
}

async function follow(address: string, signal: AbortSignal, onText: (text: string) => void): Promise<void> {
  // The end of a log that has ended is enough; one that grows is short or is followed from its beginning.
  const response = await fetch(`${address}?follow=true`, { signal });
  if (!response.ok) {
    const { detail } = (await response.json()) as { detail?: string };
    throw new Error(detail ?? `the server answered ${response.status}`);
  }
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
    if (done) return;
    if (value) onText(value);
  }
}
