// What happens, as it happens: one stream of events for the whole page, taken up again where it broke off. A page in the background lets
// go of its connection (browsers allow few) and catches up when it is looked at again.
import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { ServerEvent } from '../../api/client/events.ts';

export type LiveEvent = ServerEvent;

/** False while the connection is broken. */
export const connected = signal(true);

type Listener = (events: readonly LiveEvent[]) => void;

const listeners = new Set<Listener>();
const kinds = ['run', 'action', 'attempt', 'dataset', 'worker'] as const;
const retryMs = 2000;

let source: EventSource | undefined;
let last: string | undefined;
let pending: LiveEvent[] = [];
let retry: ReturnType<typeof setTimeout> | undefined;

/** Events reach listeners once per frame at most, together. */
function take(event: LiveEvent): void {
  if (pending.push(event) > 1) return;
  const deliver = (): void => {
    const events = pending;
    pending = [];
    for (const listener of [...listeners]) listener(events);
  };
  if (document.hidden) setTimeout(deliver, 100);
  else requestAnimationFrame(deliver);
}

function open(): void {
  clearTimeout(retry);
  if (source || document.hidden) return;
  const stream = new EventSource(`/api/v1/events${last === undefined ? '' : `?after=${last}`}`);
  source = stream;
  stream.addEventListener('hello', (message) => {
    connected.value = true;
    last ??= message.lastEventId;
  });
  stream.addEventListener('reset', (message) => {
    last = message.lastEventId;
    take({ id: Number(last), kind: 'reset' });
  });
  for (const kind of kinds)
    stream.addEventListener(kind, (message) => {
      last = message.lastEventId;
      take(JSON.parse(message.data) as LiveEvent);
    });
  stream.onerror = () => {
    connected.value = false;
    // The browser tries again by itself unless it was refused.
    if (stream.readyState !== EventSource.CLOSED) return;
    close();
    retry = setTimeout(open, retryMs);
  };
}

function close(): void {
  source?.close();
  source = undefined;
}

export function startLive(): void {
  open();
  document.addEventListener('visibilitychange', () => (document.hidden ? close() : open()));
  // A page that was left may be kept by the browser to come back to; its connection would count against those of the next.
  addEventListener('pagehide', close);
  addEventListener('pageshow', open);
}

export function stopLive(): void {
  clearTimeout(retry);
  close();
}

/** Calls the listener with what concerns it while the component is shown; `reset` concerns everybody. */
export function useLive(wanted: (event: LiveEvent) => boolean, listener: Listener, key: string): void {
  useEffect(() => {
    const heard: Listener = (events) => {
      const mine = events.filter((event) => event.kind === 'reset' || wanted(event));
      if (mine.length > 0) listener(mine);
    };
    listeners.add(heard);
    return () => void listeners.delete(heard);
  }, [key]);
}
