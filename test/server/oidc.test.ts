// Log-in by OpenID Connect against a real provider that the test starts.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { Provider } from 'oidc-provider';
import { localApi } from '../../src/server/local-api.ts';
import { startTestServer } from './test-server.ts';

interface OpenIdProvider {
  readonly issuer: string;
  readonly allow: (redirect: string) => void;
}

/** A provider whose development pages let anybody be whoever they say they are. */
async function startProvider(t: { after(action: () => Promise<void>): void }): Promise<OpenIdProvider> {
  const redirects: string[] = [];
  let handle: ReturnType<Provider['callback']> | undefined;
  const http = createServer((request, response) => void handle?.(request, response));
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  t.after(async () => {
    http.closeAllConnections();
    await new Promise((resolve) => http.close(resolve));
  });
  return {
    issuer,
    allow(redirect) {
      redirects.push(redirect);
      const provider = new Provider(issuer, {
        clients: [
          {
            client_id: 'varve',
            client_secret: 'a-secret-of-the-client',
            redirect_uris: redirects,
            token_endpoint_auth_method: 'client_secret_post',
          },
        ],
        pkce: { required: () => true },
        claims: { openid: ['sub'], profile: ['preferred_username'] },
        findAccount: (_context, id) => ({
          accountId: id,
          claims: async () => ({ sub: id, preferred_username: id }),
        }),
      });
      handle = provider.callback();
    },
  };
}

/** A browser with cookies that follows redirects and fills in forms, as far as this takes. */
class Browser {
  readonly #cookies = new Map<string, string>();

  async go(
    url: string,
    form?: Record<string, string>,
  ): Promise<{ response: Response; text: string; url: string }> {
    let [address, body] = [url, form];
    for (let hops = 0; hops < 20; hops += 1) {
      const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
      const response = await fetch(address, {
        redirect: 'manual',
        headers: { cookie, ...(body ? { 'content-type': 'application/x-www-form-urlencoded' } : {}) },
        ...(body ? { method: 'POST', body: new URLSearchParams(body) } : {}),
      });
      for (const set of response.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
        if (/Max-Age=0|expires=Thu, 01 Jan 1970/i.test(set)) this.#cookies.delete(name);
        else this.#cookies.set(name, value);
        this.set.push(set);
      }
      const next = response.headers.get('location');
      if (next === null) return { response, text: await response.text(), url: address };
      [address, body] = [new URL(next, address).href, undefined];
    }
    throw new Error('too many redirects');
  }

  readonly set: string[] = [];

  /** From the log-in of the server through the provider's pages and back. */
  async logIn(server: string, name: string): Promise<{ response: Response; text: string; url: string }> {
    const login = await this.go(`${server}/auth/login?return=/healthz`);
    const action = /action="([^"]+)"/.exec(login.text)?.[1] ?? '';
    const consent = await this.go(new URL(action, login.url).href, {
      prompt: 'login',
      login: name,
      password: 'any',
    });
    const confirm = /action="([^"]+)"/.exec(consent.text)?.[1];
    if (confirm === undefined) return consent;
    return this.go(new URL(confirm, consent.url).href, { prompt: 'consent' });
  }
}

test('people log in by OpenID Connect, and cookies carry the session', async (t) => {
  const provider = await startProvider(t);
  const server = await startTestServer(t, {
    roles: ['api'],
    set: [`oidc.issuer=${provider.issuer}`, 'oidc.clientSecret=a-secret-of-the-client'],
  });
  provider.allow(`${server.url}/auth/callback`);
  await localApi(server.varve).putUser({ user: 'anna', role: 'submitter', projects: ['lab'] });
  assert.equal((await server.get('session')).status, 401);

  const browser = new Browser();
  const back = await browser.logIn(server.url, 'anna');
  assert.equal(back.url, `${server.url}/healthz`, back.text);
  const cookie = browser.set.find((one) => one.startsWith('varve-session='));
  assert.match(cookie ?? '', /HttpOnly; SameSite=Lax/);
  const session = await browser.go(`${server.url}/api/v1/session`);
  const { user, role, via } = JSON.parse(session.text);
  assert.deepEqual([user, role, via], ['anna', 'submitter', 'login']);

  // The cookie alone changes nothing when another site sends the request.
  const secret = /varve-session=([^;]+)/.exec(cookie ?? '')?.[1];
  const body = { workflow: { name: 'x', actions: [{ id: 'a', command: 'true' }] } };
  const headers = { cookie: `varve-session=${secret}` };
  const forged = await server.post('runs', body, {
    ...headers,
    origin: 'https://evil.example',
    'sec-fetch-site': 'cross-site',
  });
  assert.equal(forged.status, 403);
  assert.equal(forged.json.code, 'FOREIGN_ORIGIN');
  assert.equal(
    (await server.post('runs', body, { ...headers, origin: server.url, 'sec-fetch-site': 'same-origin' }))
      .status,
    201,
  );

  const out = await fetch(`${server.url}/auth/logout`, { method: 'POST', headers });
  assert.equal(out.status, 200);
  await new Promise((resolve) => setTimeout(resolve, 1100));
  assert.equal((await server.get('session', headers)).status, 401);
});

test('who is not known is refused, and so is a log-in that was not begun here', async (t) => {
  const provider = await startProvider(t);
  const server = await startTestServer(t, {
    roles: ['api'],
    set: [`oidc.issuer=${provider.issuer}`, 'oidc.clientSecret=a-secret-of-the-client'],
  });
  provider.allow(`${server.url}/auth/callback`);
  const stranger = await new Browser().logIn(server.url, 'mallory');
  assert.equal(stranger.response.status, 403);
  assert.equal(JSON.parse(stranger.text).code, 'LOGIN_FAILED');
  const uncalled = await server.get('/auth/callback?code=x&state=y');
  assert.equal(uncalled.json.code, 'LOGIN_FAILED');
  const elsewhere = await fetch(`${server.url}/auth/login?return=//evil.example/`, { redirect: 'manual' });
  const [login = ''] = elsewhere.headers.getSetCookie();
  const kept = JSON.parse(Buffer.from(/varve-login=([^;]+)/.exec(login)?.[1] ?? '', 'base64url').toString());
  assert.equal(kept.returnTo, '/', 'nobody is led to another site');
});

test('new people are added with a role where the configuration says so', async (t) => {
  const provider = await startProvider(t);
  const server = await startTestServer(t, {
    roles: ['api'],
    set: [
      `oidc.issuer=${provider.issuer}`,
      'oidc.clientSecret=a-secret-of-the-client',
      'oidc.newUsers=viewer',
    ],
  });
  provider.allow(`${server.url}/auth/callback`);
  const browser = new Browser();
  await browser.logIn(server.url, 'ben');
  const session = JSON.parse((await browser.go(`${server.url}/api/v1/session`)).text);
  assert.deepEqual([session.user, session.role, session.projects], ['ben', 'viewer', ['~ben']]);
});
