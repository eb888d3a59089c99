// Server-sent events as values, taken up again after an interruption where they broke off.
import { VarveError } from '../../core/errors.ts';
import type { Bytes, Download } from '../route.ts';

export interface ServerEvent {
  readonly id: number;
  /** `hello` at the beginning; `reset` when too much was missed; else what the event is about. */
  readonly kind: 'hello' | 'reset' | 'run' | 'action' | 'attempt' | 'dataset' | 'worker';
  readonly at?: number;
  readonly entity?: number;
  readonly run?: number | null;
  readonly dataset?: string;
  readonly event?: string;
  readonly from?: string;
  readonly to?: string;
}

export interface EventOptions {
  readonly run?: number | undefined;
  /** The last event that is known. */
  readonly after?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

const pauseMs = 500;
const longestPauseMs = 10_000;

export async function* followEvents(
  follow: (input: Readonly<Record<string, unknown>>) => Promise<Download>,
  { run, after, signal }: EventOptions,
): AsyncGenerator<ServerEvent> {
  let last = after;
  for (let failures = 0; !signal?.aborted; ) {
    try {
      const place = last === undefined ? {} : { lastEventId: last };
      const { body } = await follow({ ...(run === undefined ? {} : { run }), ...place, signal });
      for await (const event of parseEvents(body)) {
        failures = 0;
        last = event.id;
        yield event;
      }
    } catch (error) {
      if (signal?.aborted) return;
      // A refusal will not change; a connection that broke comes back.
      if (error instanceof VarveError && error.kind !== 'unavailable') throw error;
    }
    const pause = Math.min(longestPauseMs, pauseMs * 2 ** failures);
    failures += 1;
    if (!signal?.aborted) await new Promise((resolve) => setTimeout(resolve, pause));
  }
}

/** The events of a stream; comments are passed over. */
export async function* parseEvents(bytes: Bytes): AsyncGenerator<ServerEvent> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const piece of bytes) {
    text += decoder.decode(piece, { stream: true });
    const blocks = text.split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) {
      const event = parseBlock(block);
      if (event) yield event;
    }
  }
}

function parseBlock(block: string): ServerEvent | undefined {
  const fields = new Map<string, string>();
  for (const line of block.split('\n')) {
    const [, name, value] = /^(\w+): ?(.*)$/.exec(line) ?? [];
    if (name !== undefined && value !== undefined) fields.set(name, value);
  }
  const kind = fields.get('event');
  if (kind === undefined) return undefined;
  const data = JSON.parse(fields.get('data') ?? '{}') as object;
  return { ...data, id: Number(fields.get('id')), kind: kind as ServerEvent['kind'] };
}
