// Numbers of traces and spans: read from the header `traceparent` (W3C Trace Context), drawn, or derived from what a run is, so that all
// processes that work on a run give it the same trace without telling each other.
import { hash, randomBytes } from 'node:crypto';
import type { RunRow } from '../core/rows.ts';
import type { SpanContext } from './span.ts';

export interface RemoteParent extends SpanContext {
  readonly sampled: boolean;
}

/** What the caller's header says; undefined without one or when it is none. */
export function readTraceparent(header: string | readonly string[] | undefined): RemoteParent | undefined {
  if (typeof header !== 'string') return undefined;
  const match = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/.exec(header.trim());
  const [, version, traceId = '', spanId = '', flags = '', more] = match ?? [];
  if (version === undefined || version === 'ff' || (version === '00' && more !== undefined)) return undefined;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
  return { traceId, spanId, sampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

export function newTraceId(): string {
  return randomBytes(16).toString('hex');
}

export function newSpanId(): string {
  return randomBytes(8).toString('hex');
}

/** The trace of a run, and the span in it that stands for the run itself. */
export function runContext(run: Pick<RunRow, 'id' | 'submissionKey' | 'submittedAt'>): SpanContext {
  const digest = hash('sha256', `run ${run.id} ${run.submittedAt} ${run.submissionKey}`, 'hex');
  return { traceId: digest.slice(0, 32), spanId: digest.slice(32, 48) };
}

/** The span of an action or attempt within the trace of its run. */
export function derivedSpanId(traceId: string, kind: 'action' | 'attempt', id: number): string {
  return hash('sha256', `${kind} ${id} ${traceId}`, 'hex').slice(0, 16);
}

/** Whether a trace is among the share that is told of: every process decides alike. */
export function isSampled(traceId: string, share: number): boolean {
  return Number.parseInt(traceId.slice(-13), 16) < share * 2 ** 52;
}
