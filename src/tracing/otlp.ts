// Spans in OTLP's JSON form (opentelemetry-proto 1.x, `ExportTraceServiceRequest`).
import type { Attribute, Span } from './span.ts';

export interface Resource {
  readonly attributes: Readonly<Record<string, Attribute>>;
  readonly version: string;
}

const kinds = { internal: 1, server: 2 } as const;
const failed = 2;
const sampledFlag = 1;

/** The body of one export. */
export function exportBody(resource: Resource, spans: readonly Span[]): string {
  return JSON.stringify({
    resourceSpans: [
      {
        resource: { attributes: keyValues(resource.attributes) },
        scopeSpans: [{ scope: { name: 'varve', version: resource.version }, spans: spans.map(spanOf) }],
      },
    ],
  });
}

function spanOf({ traceId, spanId, parentSpanId, name, kind, links = [], error, ...span }: Span): object {
  return {
    traceId,
    spanId,
    ...(parentSpanId === undefined ? {} : { parentSpanId }),
    flags: sampledFlag,
    name,
    kind: kinds[kind],
    startTimeUnixNano: nanoseconds(span.startedAt),
    endTimeUnixNano: nanoseconds(Math.max(span.startedAt, span.endedAt)),
    attributes: keyValues(span.attributes),
    ...(links.length > 0
      ? { links: links.map((link) => ({ traceId: link.traceId, spanId: link.spanId, flags: sampledFlag })) }
      : {}),
    status: error === undefined ? {} : { code: failed, message: error },
  };
}

function keyValues(attributes: Span['attributes']): object[] {
  return Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined || value === null ? [] : [{ key, value: anyValue(value) }],
  );
}

function anyValue(value: Attribute): object {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}

/** A double holds a time of today to 0.2 µs. */
function nanoseconds(milliseconds: number): string {
  const whole = Math.floor(milliseconds);
  return String(BigInt(whole) * 1_000_000n + BigInt(Math.round((milliseconds - whole) * 1e6)));
}
