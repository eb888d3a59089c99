// What is told about a piece of work: who it belongs to, when it began and ended, and what it was.

export type Attribute = string | number | boolean;

export interface SpanContext {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits. */
  readonly spanId: string;
}

export interface Span extends SpanContext {
  readonly parentSpanId?: string | undefined;
  readonly name: string;
  readonly kind: 'internal' | 'server';
  /** Milliseconds since the epoch, with fractions. */
  readonly startedAt: number;
  readonly endedAt: number;
  /** What is undefined or null is left out. */
  readonly attributes: Readonly<Record<string, Attribute | undefined | null>>;
  /** Why it failed; undefined when it did not. */
  readonly error?: string | undefined;
  /** Other traces that have to do with it. */
  readonly links?: readonly SpanContext[] | undefined;
}
