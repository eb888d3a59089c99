// Traces of one process: requests as they are answered, and runs, actions and attempts as they end. Made only where the configuration
// names a collector; without one, no store is watched and no request has a hook.
import { AsyncLocalStorage } from 'node:async_hooks';
import { hostname } from 'node:os';
import type { Store } from '../core/ports/store.ts';
import { version } from '../version.ts';
import { createExporter } from './exporter.ts';
import { readHeaders } from './read-headers.ts';
import { endedSpans } from './run-spans.ts';
import type { Span, SpanContext } from './span.ts';
import { isSampled, newSpanId, newTraceId, type RemoteParent } from './trace-context.ts';
import { watchEnds } from './watch-ends.ts';

export interface TracerOptions {
  readonly endpoint: string;
  /** `name=value,name=value`. */
  readonly headers: string | undefined;
  /** Share of traces that are told of, from 0 to 1. */
  readonly share: number;
  /** Unique per process start. */
  readonly instance: string;
  readonly onProblem: (error: unknown, doing: string) => void;
}

export interface Tracer {
  /** The same store; what ends through it, and how long its transactions take, is told. */
  watch(store: Store): Store;
  /** Where a request belongs: to its caller's trace, or to one of its own; undefined when it is not sampled. */
  begin(parent: RemoteParent | undefined): SpanContext | undefined;
  /** Runs the body, and what follows from it, as part of the span. */
  within<T>(context: SpanContext, body: () => T): T;
  add(span: Span): void;
  close(): Promise<void>;
}

/** `now` with fractions of a millisecond. */
export function preciseNow(): number {
  return performance.timeOrigin + performance.now();
}

export function createTracer({ endpoint, headers, share, instance, onProblem }: TracerOptions): Tracer {
  const current = new AsyncLocalStorage<SpanContext>();
  const ended = { runs: new Set<number>(), actions: new Set<number>() };
  let watched: Store | undefined;
  const exporter = createExporter({
    endpoint,
    headers: readHeaders(headers),
    onProblem,
    resource: {
      version,
      attributes: {
        'service.name': 'varve',
        'service.version': version,
        'service.instance.id': instance,
        'host.name': hostname(),
        'process.pid': process.pid,
      },
    },
    async more() {
      if (!watched || ended.runs.size + ended.actions.size === 0) return [];
      const ids = { runs: new Set(ended.runs), actions: new Set(ended.actions) };
      ended.runs.clear();
      ended.actions.clear();
      return endedSpans(watched.view, ids, share);
    },
  });
  return {
    watch(store) {
      watched = store;
      return watchEnds(store, {
        ended(machine, ids) {
          for (const id of ids) ended[machine === 'run' ? 'runs' : 'actions'].add(id);
          exporter.wake();
        },
        async timed(name, body) {
          const parent = current.getStore();
          if (!parent) return body();
          const startedAt = preciseNow();
          let error: string | undefined;
          try {
            return await body();
          } catch (thrown) {
            error = thrown instanceof Error ? thrown.message : String(thrown);
            throw thrown;
          } finally {
            exporter.add({
              traceId: parent.traceId,
              spanId: newSpanId(),
              parentSpanId: parent.spanId,
              name,
              kind: 'internal',
              startedAt,
              endedAt: preciseNow(),
              attributes: { 'db.system.name': store.dialect === 'postgres' ? 'postgresql' : 'sqlite' },
              error,
            });
          }
        },
      });
    },
    begin(parent) {
      const traceId = parent?.traceId ?? newTraceId();
      const wanted = parent ? parent.sampled : isSampled(traceId, share);
      return wanted ? { traceId, spanId: newSpanId() } : undefined;
    },
    within: (context, body) => current.run(context, body),
    add: (span) => exporter.add(span),
    close: () => exporter.close(),
  };
}
