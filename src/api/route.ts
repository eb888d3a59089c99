// The form of a row in the contract of the REST API. Validation, the OpenAPI document, the typed client and the types of the handlers
// all follow from such rows.
import type { Static, TObject, TSchema } from 'typebox';

export const roles = ['viewer', 'submitter', 'admin'] as const;
export type Role = (typeof roles)[number];

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** One operation: everything about it except its code, which is in `src/server/routes/`. */
export interface Route {
  readonly method: Method;
  /** Below `/api/v1`, with `{name}` for parameters; `{name*}` takes the rest of the path. */
  readonly path: string;
  /** One line, without a full stop. */
  readonly summary: string;
  readonly description?: string;
  /** The least role that may call it. */
  readonly role: Role;
  readonly params?: TObject;
  readonly query?: TObject;
  readonly body?: TObject;
  /** Fields of the input that travel as headers; see `headerFields`. */
  readonly headers?: TObject;
  /** The request body is the bytes of a file. */
  readonly upload?: true;
  /** The answer; without it the route answers with bytes of the media type `download`. */
  readonly response?: TSchema;
  readonly download?: string;
  readonly status?: 200 | 201 | 202;
  /** Errors that callers should expect besides those of every route. */
  readonly errors?: readonly number[];
}

export type Routes = Readonly<Record<string, Route>>;

/** Inputs that are headers of the request. */
export const headerFields = {
  idempotencyKey: 'idempotency-key',
  range: 'range',
  lastEventId: 'last-event-id',
  workerSession: 'varve-worker-session',
} as const;

/** Bytes that are sent or received piece by piece. */
export type Bytes = AsyncIterable<Uint8Array>;

/** What a route without a JSON answer gives. */
export interface Download {
  readonly contentType: string;
  readonly body: Bytes;
  /** Bytes in `body`, where they are known before. */
  readonly sizeBytes?: number | undefined;
  /** For a part of a file: which bytes of how many. */
  readonly part?: { readonly first: number; readonly last: number; readonly of: number } | undefined;
  /** Identifies the contents, for caches. */
  readonly etag?: string | undefined;
  readonly fileName?: string | undefined;
}

type Fields<S> = S extends TSchema ? Static<S> : unknown;

/** Everything that a caller gives: parameters, query, body fields and headers as one object. */
export type InputOf<R extends Route> = Fields<R['params']> &
  Fields<R['query']> &
  Fields<R['body']> &
  Fields<R['headers']> &
  (R extends { upload: true } ? { readonly bytes: Bytes } : unknown);

export type OutputOf<R extends Route> = R extends { response: infer S extends TSchema }
  ? Static<S>
  : Download;
