// One conditional GET with its limits: redirects are followed here, because each address on the way must be allowed; time,
// silence and size are bounded; and every way in which it can fail has its error.
import { VarveError } from '../../core/errors.ts';
import { storageErrors } from '../error-codes.ts';

export interface UrlLimits {
  readonly maxBytes: number;
  /** For the whole download. */
  readonly timeoutMs: number;
  /** Without a byte from the server. */
  readonly idleTimeoutMs: number;
}

export interface UrlPolicy {
  /** The reason why this address may not be asked, or undefined when it may; also asked about redirects. */
  readonly allow?: ((url: URL) => string | undefined) | undefined;
}

export interface UrlResponse extends AsyncDisposable {
  readonly status: 200 | 304;
  readonly etag: string | undefined;
  readonly lastModified: string | undefined;
  /** The body; throws when it is larger than allowed, breaks off or stalls. */
  chunks(): AsyncIterable<Uint8Array>;
}

const maxRedirects = 10;

export async function openUrl(
  url: URL,
  policy: UrlPolicy,
  limits: UrlLimits,
  headers: Readonly<Record<string, string>>,
  signal?: AbortSignal,
): Promise<UrlResponse> {
  const watch = new Watch(url, limits, signal);
  try {
    const response = await request(url, policy, headers, watch);
    return toResponse(url, response, limits, watch);
  } catch (error) {
    watch.end();
    throw watch.explain(error);
  }
}

/** Aborts the request when it takes too long, when nothing comes, or when the caller wants it. */
class Watch {
  readonly #shown: string;
  readonly #limits: UrlLimits;
  readonly #outer: AbortSignal | undefined;
  readonly #controller = new AbortController();
  readonly #total: NodeJS.Timeout;
  #idle: NodeJS.Timeout | undefined;
  readonly #cancel = () => this.#controller.abort(this.#outer?.reason);

  constructor(url: URL, limits: UrlLimits, outer: AbortSignal | undefined) {
    this.#shown = shownUrl(url);
    this.#limits = limits;
    this.#outer = outer;
    this.#total = this.#alarm(limits.timeoutMs);
    this.heard();
    outer?.addEventListener('abort', this.#cancel, { once: true });
    if (outer?.aborted) this.#cancel();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  heard(): void {
    clearTimeout(this.#idle);
    this.#idle = this.#alarm(this.#limits.idleTimeoutMs);
  }

  end(): void {
    clearTimeout(this.#total);
    clearTimeout(this.#idle);
    this.#outer?.removeEventListener('abort', this.#cancel);
    this.#controller.abort();
  }

  /** What really happened: fetch tells little about why it failed. */
  explain(error: unknown): unknown {
    if (error instanceof VarveError) return error;
    if (this.#outer?.aborted) return this.#outer.reason;
    if (this.signal.reason instanceof VarveError) return this.signal.reason;
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    const reason =
      cause instanceof Error ? cause.message || ((cause as NodeJS.ErrnoException).code ?? '') : String(cause);
    return storageErrors.INPUT_URL_UNAVAILABLE.with({ cause: error }, this.#shown, reason);
  }

  #alarm(ms: number): NodeJS.Timeout {
    const fire = () => this.#controller.abort(storageErrors.INPUT_URL_TIMEOUT(this.#shown, ms));
    return setTimeout(fire, Math.min(ms, 2 ** 31 - 1));
  }
}

async function request(
  first: URL,
  policy: UrlPolicy,
  headers: Readonly<Record<string, string>>,
  watch: Watch,
): Promise<Response> {
  let url = first;
  for (let redirects = 0; redirects <= maxRedirects; redirects += 1) {
    const refusal = policy.allow?.(url);
    if (refusal !== undefined) throw storageErrors.INPUT_URL_DENIED(shownUrl(url), refusal);
    const response = await fetch(bare(url), {
      redirect: 'manual',
      signal: watch.signal,
      headers: { ...headers, ...credentials(url, first), 'accept-encoding': 'identity' },
    });
    watch.heard();
    const next = response.headers.get('location');
    if (![301, 302, 303, 307, 308].includes(response.status) || next === null) return response;
    await response.body?.cancel();
    const target = URL.parse(next, url);
    if (!target || !['http:', 'https:'].includes(target.protocol))
      throw storageErrors.INPUT_URL_INVALID(target ? shownUrl(target) : next);
    url = target;
  }
  throw storageErrors.INPUT_URL_UNAVAILABLE(shownUrl(first), `more than ${maxRedirects} redirects`);
}

function toResponse(url: URL, response: Response, limits: UrlLimits, watch: Watch): UrlResponse {
  const { status, headers, body } = response;
  if (status !== 200 && status !== 304) {
    if (status >= 400 && status < 500 && status !== 408 && status !== 429)
      throw storageErrors.INPUT_URL_MISSING(shownUrl(url), status);
    throw storageErrors.INPUT_URL_UNAVAILABLE(shownUrl(url), `status ${status}`);
  }
  const length = headers.has('content-encoding') ? undefined : headers.get('content-length');
  if (Number(length ?? 0) > limits.maxBytes)
    throw storageErrors.INPUT_URL_TOO_LARGE(shownUrl(url), limits.maxBytes);
  return {
    status,
    etag: headers.get('etag') ?? undefined,
    lastModified: headers.get('last-modified') ?? undefined,
    async *chunks() {
      let bytes = 0;
      try {
        for await (const chunk of body ?? []) {
          watch.heard();
          bytes += chunk.length;
          if (bytes > limits.maxBytes)
            throw storageErrors.INPUT_URL_TOO_LARGE(shownUrl(url), limits.maxBytes);
          yield chunk;
        }
      } catch (error) {
        throw watch.explain(error);
      }
      if (length != null && Number(length) !== bytes)
        throw storageErrors.INPUT_URL_UNAVAILABLE(shownUrl(url), `${bytes} of ${length} bytes came`);
    },
    async [Symbol.asyncDispose]() {
      watch.end();
    },
  };
}

/** Credentials in the address go into a header, and only to the server that they were given for. */
function credentials(url: URL, first: URL): Record<string, string> {
  if (url.origin !== first.origin || (first.username === '' && first.password === '')) return {};
  const pair = `${decodeURIComponent(first.username)}:${decodeURIComponent(first.password)}`;
  return { authorization: `Basic ${Buffer.from(pair).toString('base64')}` };
}

function bare(url: URL): URL {
  const copy = new URL(url);
  copy.username = '';
  copy.password = '';
  return copy;
}

/** The address as messages may show it: without credentials. */
export function shownUrl(url: URL): string {
  return bare(url).href;
}
