// Log-in to the web page. By OpenID Connect: authorization code with PKCE, state and nonce; the provider says who somebody is, what they may
// do is decided here. Or by a token, which then travels as the cookie of the session and keeps its limits.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Configuration } from 'openid-client';
import type { Config } from '../../config/config-keys.ts';
import { VarveError } from '../../core/errors.ts';
import type { AccountRow } from '../../core/ports/accounts.ts';
import type { Store } from '../../core/ports/store.ts';
import { isToken, newSecret, secretHash } from '../accounts.ts';
import { serverErrors } from '../error-codes.ts';
import { isLoopback } from '../loopback.ts';
import { type CookieNames, readCookie, setCookie } from './cookies.ts';

export interface LoginOptions {
  readonly store: Store;
  readonly oidc: Config['oidc'];
  /** Where people reach the server. */
  readonly publicUrl: () => string;
  readonly cookies: CookieNames;
  /** Throws unless the token is good. */
  readonly proveToken: (request: FastifyRequest, token: string) => Promise<unknown>;
}

/** What must come back from the provider as it was sent. */
interface Pending {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  readonly returnTo: string;
}

const tokenBody = {
  type: 'object',
  properties: { token: { type: 'string', maxLength: 500, pattern: '^[\\w.~+/=-]+$' } },
  required: ['token'],
  additionalProperties: false,
};
const loginMs = 10 * 60_000;
const userNames = /^[a-z0-9][a-z0-9._-]{0,62}$/;

export function addLoginRoutes(app: FastifyInstance, options: LoginOptions): void {
  const { store, oidc, cookies } = options;
  let provider: Promise<Configuration> | undefined;

  const discovered = (): Promise<Configuration> => {
    if (oidc.issuer === undefined) throw serverErrors.LOGIN_UNAVAILABLE();
    provider ??= discover(oidc.issuer, oidc).catch((error: unknown) => {
      provider = undefined;
      throw serverErrors.LOGIN_FAILED.with({ cause: error }, 'the OpenID provider does not answer');
    });
    return provider;
  };
  const callback = (): string => `${options.publicUrl()}/auth/callback`;

  app.get('/auth/methods', async () => ({ oidc: oidc.issuer !== undefined }));

  app.get<{ Querystring: { return?: string } }>('/auth/login', async (request, reply) => {
    const client = await import('openid-client');
    const config = await discovered();
    const pending: Pending = {
      state: client.randomState(),
      nonce: client.randomNonce(),
      verifier: client.randomPKCECodeVerifier(),
      returnTo: localPath(request.query.return),
    };
    const address = client.buildAuthorizationUrl(config, {
      redirect_uri: callback(),
      scope: 'openid profile email',
      state: pending.state,
      nonce: pending.nonce,
      code_challenge: await client.calculatePKCECodeChallenge(pending.verifier),
      code_challenge_method: 'S256',
    });
    const value = Buffer.from(JSON.stringify(pending)).toString('base64url');
    reply.header('set-cookie', setCookie(cookies.login, value, loginMs, cookies.secure));
    return reply.header('cache-control', 'no-store').redirect(address.href, 302);
  });

  app.get('/auth/callback', async (request, reply) => {
    const pending = readPending(request, cookies.login);
    const account = await accountOf(await claimsOf(request, pending));
    const secret = newSecret('login');
    const now = Date.now();
    const login = { account: account.name, createdAt: now, expiresAt: now + oidc.sessionTime };
    await store.write(async (tx) => {
      await tx.forgetLogins(now);
      await tx.addLogin(login, secretHash(secret));
    });
    reply.header('set-cookie', [
      setCookie(cookies.session, secret, oidc.sessionTime, cookies.secure),
      setCookie(cookies.login, '', 0, cookies.secure),
    ]);
    return reply.header('cache-control', 'no-store').redirect(pending.returnTo, 302);
  });

  app.post<{ Body: { token: string } }>(
    '/auth/token',
    { schema: { body: tokenBody } },
    async (request, reply) => {
      const { token } = request.body;
      await options.proveToken(request, token);
      reply.header('set-cookie', setCookie(cookies.session, token, oidc.sessionTime, cookies.secure));
      return reply.header('cache-control', 'no-store').send({ loggedIn: true });
    },
  );

  app.post('/auth/logout', async (request, reply: FastifyReply) => {
    const secret = readCookie(request.headers.cookie, cookies.session);
    if (secret !== undefined && !isToken(secret)) await store.write((tx) => tx.endLogin(secretHash(secret)));
    reply.header('set-cookie', setCookie(cookies.session, '', 0, cookies.secure));
    return { loggedOut: true };
  });

  async function claimsOf(request: FastifyRequest, pending: Pending): Promise<Claims> {
    const client = await import('openid-client');
    const config = await discovered();
    try {
      const answer = await client.authorizationCodeGrant(config, new URL(request.url, options.publicUrl()), {
        pkceCodeVerifier: pending.verifier,
        expectedState: pending.state,
        expectedNonce: pending.nonce,
        idTokenExpected: true,
      });
      const claims = answer.claims() as Claims;
      if (typeof claims[oidc.userClaim] === 'string') return claims;
      return {
        ...claims,
        ...(await client.fetchUserInfo(config, answer.access_token, claims.sub)),
        iss: claims.iss,
      };
    } catch (error) {
      if (error instanceof VarveError) throw error;
      throw serverErrors.LOGIN_FAILED.with({ cause: error }, 'the OpenID provider did not confirm it');
    }
  }

  /** The user by what the provider calls them; an account that nobody has logged in to yet is theirs if it has their name. */
  async function accountOf(claims: Claims): Promise<AccountRow> {
    const subject = `${claims.iss} ${claims.sub}`;
    const name = String(claims[oidc.userClaim] ?? '').toLowerCase();
    return store.write(async (tx) => {
      const known = (await tx.accountBySubject(subject)) ?? (await tx.account(name));
      if (known?.disabledAt) throw serverErrors.LOGIN_FAILED(`${known.name} is shut out`);
      if (known?.subject === subject) return known;
      if (known?.subject) throw serverErrors.LOGIN_FAILED(`${name} is somebody else here`);
      if (!known && oidc.newUsers === 'refuse') throw serverErrors.LOGIN_FAILED('you are not known here');
      if (!userNames.test(name)) throw serverErrors.LOGIN_FAILED('the provider gave no usable name');
      const account: AccountRow = known
        ? { ...known, subject }
        : {
            name,
            role: oidc.newUsers as 'viewer' | 'submitter',
            projects: [],
            subject,
            createdAt: Date.now(),
            createdBy: 'OpenID Connect',
            disabledAt: null,
          };
      await tx.putAccount(account);
      return account;
    });
  }
}

interface Claims {
  readonly iss: string;
  readonly sub: string;
  readonly [claim: string]: unknown;
}

async function discover(issuer: string, { clientId, clientSecret }: Config['oidc']): Promise<Configuration> {
  const client = await import('openid-client');
  const url = new URL(issuer);
  const method = clientSecret === undefined ? client.None() : client.ClientSecretPost(clientSecret);
  // Without TLS only on this machine, where nobody listens in.
  const near = url.protocol === 'http:' && isLoopback(url.hostname);
  return client.discovery(
    url,
    clientId,
    undefined,
    method,
    near ? { execute: [client.allowInsecureRequests] } : {},
  );
}

function readPending(request: FastifyRequest, cookie: string): Pending {
  try {
    const text = Buffer.from(readCookie(request.headers.cookie, cookie) ?? '', 'base64url').toString();
    const { state, nonce, verifier, returnTo } = JSON.parse(text) as Record<string, unknown>;
    if (typeof state === 'string' && typeof nonce === 'string' && typeof verifier === 'string')
      return { state, nonce, verifier, returnTo: localPath(returnTo) };
  } catch {
    // No cookie, or not one of ours: explained below.
  }
  throw serverErrors.LOGIN_FAILED('it was not begun here, or took longer than ten minutes');
}

/** Only paths of this site: nobody is led elsewhere after a log-in. */
function localPath(path: unknown): string {
  return typeof path === 'string' && /^\/(?![/\\])[\x21-\x7e]{0,1000}$/.test(path) ? path : '/';
}
