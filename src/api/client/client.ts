// The typed client: every operation of the API as a function, over HTTP. It runs in Node and in browsers. Failures are VarveErrors with the
// codes that the server gave, so that programs and people see the same whether work is near or far.
import type { Api } from '../api.ts';
import type { OperationName } from '../contract/all.ts';
import { apiErrors } from '../error-codes.ts';
import { type Bytes, type Download, headerFields } from '../route.ts';
import { type EventOptions, followEvents, type ServerEvent } from './events.ts';
import { operations } from './operations.ts';
import { failureOf } from './server-error.ts';

export interface ClientOptions {
  /** Where the server is, such as https://varve.example.org. */
  readonly url: string;
  /** A token of `varve tokens add`; not needed in a browser that is logged in. */
  readonly token?: string | undefined;
  /** Another fetch, for instance with a proxy. */
  readonly fetch?: typeof fetch | undefined;
  /** How often a request that may be repeated is tried again when nobody answers. */
  readonly retries?: number | undefined;
}

/** All operations, and what is built on them. */
export interface VarveClient extends Api {
  /** What happens, one event after the other; goes on after interruptions until the signal aborts. */
  events(options?: EventOptions): AsyncIterable<ServerEvent>;
  /** Resolves when the run has ended, with its state. */
  waitForRun(run: number, options?: { readonly signal?: AbortSignal }): Promise<string>;
}

const pauseMs = 200;
const endedStates = new Set(['SUCCEEDED', 'FAILED', 'CANCELLED']);

type Input = Readonly<Record<string, unknown>>;

class HttpClient {
  readonly #base: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #fetch: typeof fetch;
  readonly #retries: number;

  constructor({ url, token, fetch: given, retries }: ClientOptions) {
    if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) throw apiErrors.SERVER_ADDRESS(url);
    this.#base = `${url.replace(/\/+$/, '')}/api/v1`;
    this.#headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    // Browsers' fetch insists on being called as a function of the window.
    this.#fetch = given ?? ((input, init) => fetch(input, init));
    this.#retries = retries ?? 3;
    for (const name of Object.keys(operations) as OperationName[]) {
      Object.defineProperty(this, name, {
        value: (input: Input = {}) => this.#call(name, input),
        enumerable: true,
      });
    }
  }

  events(options: EventOptions = {}): AsyncIterable<ServerEvent> {
    const follow = (input: Input) => this.#call('followEvents', input) as Promise<Download>;
    return followEvents(follow, options);
  }

  async waitForRun(run: number, { signal }: { readonly signal?: AbortSignal } = {}): Promise<string> {
    const stateNow = async (): Promise<string> =>
      ((await this.#call('getRunState', { run })) as { state: string }).state;
    for await (const event of this.events({ run, signal })) {
      if (event.kind !== 'hello' && event.kind !== 'reset' && event.kind !== 'run') continue;
      const state = await stateNow();
      if (endedStates.has(state)) return state;
    }
    signal?.throwIfAborted();
    return stateNow();
  }

  async #call(name: OperationName, input: Input): Promise<unknown> {
    const [method, path, bytes] = operations[name];
    const { url, headers, rest, signal } = this.#address(method, path, input);
    const request: RequestInit & { duplex?: 'half' } = { method, headers, signal: signal ?? null };
    if (bytes === 'up') {
      headers['content-type'] = 'application/octet-stream';
      request.body = streamOf(rest.bytes as Bytes);
      request.duplex = 'half';
    } else if (method === 'POST' || method === 'PUT') {
      headers['content-type'] = 'application/json';
      request.body = JSON.stringify(rest);
    }
    const repeatable = method === 'GET' || headers['idempotency-key'] !== undefined;
    const response = await this.#send(url, request, repeatable ? this.#retries : 0);
    if (!response.ok) throw await failureOf(response, url);
    return bytes === 'down' ? downloadOf(response, url) : answerOf(response, url);
  }

  #address(method: string, path: string, input: Input) {
    const rest: Record<string, unknown> = { ...input };
    const headers: Record<string, string> = { ...this.#headers };
    const { signal } = rest as { signal?: AbortSignal };
    delete rest.signal;
    const filled = path.replace(/\{(\w+)(\*?)\}/g, (_, name: string, wild: string) => {
      const text = String(rest[name]);
      delete rest[name];
      return wild ? text.split('/').map(encodeURIComponent).join('/') : encodeURIComponent(text);
    });
    for (const [field, header] of Object.entries(headerFields)) {
      if (rest[field] !== undefined) headers[header] = String(rest[field]);
      delete rest[field];
    }
    const query = method === 'GET' || method === 'DELETE' ? queryOf(rest) : '';
    return { url: `${this.#base}${filled}${query}`, headers, rest, signal };
  }

  async #send(url: string, request: RequestInit, retries: number): Promise<Response> {
    for (let left = retries; ; left -= 1) {
      try {
        const response = await this.#fetch(url, request);
        if (left > 0 && (response.status === 503 || response.status === 429)) await response.body?.cancel();
        else return response;
      } catch (error) {
        if (request.signal?.aborted || left <= 0) {
          request.signal?.throwIfAborted();
          const cause = (error as { cause?: unknown }).cause ?? error;
          throw apiErrors.SERVER_UNREACHABLE.with(
            { cause: error },
            this.#base.slice(0, -'/api/v1'.length),
            whyOf(cause),
          );
        }
      }
      await new Promise((resolve) => setTimeout(resolve, pauseMs * (retries - left + 1)));
    }
  }
}

/** Opens nothing: each call makes its own request. */
export const VarveClient = HttpClient as unknown as new (options: ClientOptions) => VarveClient;

function queryOf(values: Input): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined) continue;
    for (const one of Array.isArray(value) ? value : [value]) query.append(name, String(one));
  }
  const text = query.toString();
  return text === '' ? '' : `?${text}`;
}

function streamOf(bytes: Bytes): ReadableStream<Uint8Array> {
  const iterator = bytes[Symbol.asyncIterator]();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await iterator.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    async cancel() {
      await iterator.return?.();
    },
  });
}

async function answerOf(response: Response, url: string): Promise<unknown> {
  if (!/^application\/json/.test(response.headers.get('content-type') ?? ''))
    throw apiErrors.SERVER_ANSWER(url, response.headers.get('content-type') ?? 'without a type');
  return response.json();
}

function downloadOf(response: Response, url: string): Download {
  const { headers } = response;
  const length = headers.get('content-length');
  const [, first, last, of] = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(headers.get('content-range') ?? '') ?? [];
  return {
    contentType: headers.get('content-type') ?? 'application/octet-stream',
    body: bodyOf(response, url),
    ...(length === null ? {} : { sizeBytes: Number(length) }),
    ...(of === undefined ? {} : { part: { first: Number(first), last: Number(last), of: Number(of) } }),
    etag: headers.get('etag') ?? undefined,
  };
}

async function* bodyOf(response: Response, url: string): Bytes {
  const reader = response.body?.getReader();
  if (!reader) return;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } catch (error) {
    throw apiErrors.SERVER_UNREACHABLE.with({ cause: error }, url, whyOf(error));
  } finally {
    await reader.cancel().catch(() => {});
  }
}

function whyOf(error: unknown): string {
  return error instanceof Error ? error.message || error.name : String(error);
}
