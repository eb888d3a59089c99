// Sends spans to a collector by OTLP over HTTP: in batches, beside the work, and never at its cost. What a collector that is away or slow
// does not take is dropped once the buffer is full.
import { setTimeout as sleep } from 'node:timers/promises';
import { tracingErrors } from './error-codes.ts';
import { exportBody, type Resource } from './otlp.ts';
import type { Span } from './span.ts';

export interface ExporterOptions {
  /** The base address of the collector; traces go to `/v1/traces` below it. */
  readonly endpoint: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly resource: Resource;
  /** Told once when the collector stops taking traces, not for every batch. */
  readonly onProblem: (error: unknown, doing: string) => void;
  /** Asked before each sending for spans that were only noted as ids. */
  readonly more?: () => Promise<readonly Span[]>;
}

export interface Exporter {
  add(span: Span): void;
  /** Something waits to be asked for. */
  wake(): void;
  /** Sends what there is, within a few seconds. */
  close(): Promise<void>;
}

const everyMs = 1_000;
const mostBuffered = 20_000;
const batchSize = 1_000;
const answerMs = 10_000;
const closeMs = 3_000;
const longestPauseMs = 30_000;
/** Answers after which the same batch may be sent again, as the protocol says. */
const retryable: ReadonlySet<number> = new Set([429, 502, 503, 504]);

export function createExporter(options: ExporterOptions): Exporter {
  const url = `${options.endpoint.replace(/\/(v1\/traces)?$/, '')}/v1/traces`;
  const giveUp = new AbortController();
  let closed = false;
  let buffer: Span[] = [];
  let timer: NodeJS.Timeout | undefined;
  let sending: Promise<void> | undefined;
  let pauseMs = 0;
  let told = false;

  function add(span: Span): void {
    if (buffer.length < mostBuffered) buffer.push(span);
    wake();
  }

  function wake(): void {
    if (timer !== undefined || sending !== undefined || closed) return;
    timer = setTimeout(
      () => {
        timer = undefined;
        sending = send().finally(() => {
          sending = undefined;
          if (buffer.length > 0) wake();
        });
      },
      Math.max(everyMs, pauseMs),
    );
    timer.unref();
  }

  async function send(): Promise<void> {
    try {
      for (const span of (await options.more?.()) ?? []) if (buffer.length < mostBuffered) buffer.push(span);
    } catch (error) {
      tell(error instanceof Error ? error.message : String(error));
    }
    while (buffer.length > 0) {
      const batch = buffer.slice(0, batchSize);
      const outcome = await post(exportBody(options.resource, batch));
      if (outcome.again === true) {
        pauseMs = Math.min(longestPauseMs, outcome.pauseMs ?? Math.max(everyMs, pauseMs * 2));
        tell(outcome.why);
        return;
      }
      buffer = buffer.slice(batch.length);
      pauseMs = 0;
      if (outcome.why === undefined) told = false;
      else tell(outcome.why);
    }
  }

  function tell(why: string): void {
    if (!told) options.onProblem(tracingErrors.TRACES_REFUSED(url, why), 'send traces');
    told = true;
  }

  async function post(body: string): Promise<Outcome> {
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: { ...options.headers, 'content-type': 'application/json' },
        body,
        redirect: 'error',
        signal: AbortSignal.any([AbortSignal.timeout(answerMs), giveUp.signal]),
      });
      const text = (await response.text()).slice(0, 10_000);
      if (response.ok) return { again: false, why: refusal(text) };
      const why = `it answers with ${response.status}`;
      if (!retryable.has(response.status)) return { again: false, why };
      const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
      return { again: true, why, pauseMs: Number.isFinite(seconds) ? seconds * 1000 : undefined };
    } catch (error) {
      const cause = (error as Error).cause ?? error;
      return { again: true, why: cause instanceof Error ? cause.message : String(cause) };
    }
  }

  return {
    add,
    wake,
    async close() {
      if (closed) return;
      closed = true;
      clearTimeout(timer);
      const last = Promise.resolve(sending).then(send);
      await Promise.race([last, sleep(closeMs, undefined, { signal: giveUp.signal }).catch(() => {})]);
      giveUp.abort();
    },
  };
}

type Outcome =
  /** The same batch may be sent once more, after a pause. */
  | { readonly again: true; readonly why: string; readonly pauseMs?: number | undefined }
  | { readonly again: false; readonly why: string | undefined };

/** What a collector says that took the batch, but not all of it. */
function refusal(text: string): string | undefined {
  try {
    const { partialSuccess } = JSON.parse(text) as { partialSuccess?: Record<string, unknown> };
    const count = Number(partialSuccess?.rejectedSpans ?? 0);
    return count > 0 ? `it refuses ${count} spans: ${partialSuccess?.errorMessage ?? ''}` : undefined;
  } catch {
    return undefined;
  }
}
