// Finds out who asks. As long as nobody else could be meant, the server belongs to the user of the machine; it then answers only under names
// of this machine, so that no web page elsewhere can reach it by a name of its own (DNS rebinding). Otherwise a token or the cookie of a
// log-in has to tell.
import type { FastifyRequest } from 'fastify';
import type { Store } from '../../core/ports/store.ts';
import { accessByLogin, accessByToken, isToken } from '../accounts.ts';
import { type Access, localAccess } from '../caller.ts';
import { serverErrors } from '../error-codes.ts';
import { readCookie } from './cookies.ts';
import { RateLimiter } from './rate-limiter.ts';

export type Authenticate = (request: FastifyRequest) => Promise<Access>;

export interface Authentication {
  readonly authenticate: Authenticate;
  /** Who a token belongs to; guesses are slowed down. */
  readonly proveToken: (request: FastifyRequest, token: string) => Promise<Access>;
}

export interface AuthenticateOptions {
  readonly store: Store;
  readonly userName: string;
  /** Whether users must prove who they are even before there are any. */
  readonly required: boolean;
  readonly publicHost: string | undefined;
  readonly sessionCookie: string;
  /** Requests per second of one user; 0 for no limit. */
  readonly rateLimit: number;
}

const loopbackNames = new Set(['localhost', '127.0.0.1', '[::1]']);
const rememberMs = 1000;
const failuresPerSecond = 5;

export function createAuthenticate(options: AuthenticateOptions): Authentication {
  const { store, rateLimit } = options;
  const local = localAccess(options.userName);
  const limiter = new RateLimiter(rateLimit);
  const failures = new RateLimiter(failuresPerSecond);
  const known = new Remembered<Access | undefined>(rememberMs);
  const users = new Remembered<boolean>(rememberMs);

  async function prove(request: FastifyRequest): Promise<Access> {
    const sent = /^Bearer ([\w.~+/=-]{1,500})$/i.exec(request.headers.authorization ?? '')?.[1];
    const secret = sent ?? readCookie(request.headers.cookie, options.sessionCookie);
    if (secret === undefined) throw serverErrors.NOT_LOGGED_IN('no token was sent');
    return check(request, secret, sent !== undefined || isToken(secret));
  }

  async function check(request: FastifyRequest, secret: string, byToken: boolean): Promise<Access> {
    if (!failures.hasRoom(request.ip)) throw serverErrors.RATE_LIMITED(failuresPerSecond);
    const find = byToken ? accessByToken : accessByLogin;
    const access = await known.get(`${byToken} ${secret}`, () => find(store, secret, Date.now()));
    if (access) return access;
    failures.take(request.ip);
    throw serverErrors.NOT_LOGGED_IN(
      byToken ? 'the token is unknown, expired or revoked' : 'the log-in has ended',
    );
  }

  const authenticate: Authenticate = async (request) => {
    if (!options.required && !(await users.get('any', () => store.view.anyAccount()))) {
      const host = request.headers.host ?? '';
      const name = host.replace(/:\d+$/, '');
      if (!loopbackNames.has(name) && host !== options.publicHost)
        throw serverErrors.FOREIGN_HOST(host.slice(0, 100));
      return local;
    }
    const access = await prove(request);
    if (!limiter.take(access.userName)) throw serverErrors.RATE_LIMITED(rateLimit);
    return access;
  };
  return { authenticate, proveToken: (request, token) => check(request, token, true) };
}

/** Answers that are asked for again only after a while, so that a busy client costs one look-up a second. */
class Remembered<T> {
  readonly #lifeMs: number;
  #values = new Map<string, { readonly value: Promise<T>; readonly until: number }>();

  constructor(lifeMs: number) {
    this.#lifeMs = lifeMs;
  }

  get(key: string, find: () => Promise<T>): Promise<T> {
    const now = Date.now();
    const found = this.#values.get(key);
    if (found && found.until > now) return found.value;
    if (this.#values.size > 10_000) this.#values = new Map();
    const value = find();
    this.#values.set(key, { value, until: now + this.#lifeMs });
    value.catch(() => this.#values.delete(key));
    return value;
  }
}
