// Users and their secrets: made, checked and taken back. A secret is random and long, so its SHA-256 is all that is stored.
import { hash, randomBytes } from 'node:crypto';
import { type Role, roles } from '../api/route.ts';
import type { AccountRow, TokenRow } from '../core/ports/accounts.ts';
import type { Store } from '../core/ports/store.ts';
import type { Access } from './caller.ts';

const secretBytes = 32;

/** A new secret; the beginning makes it easy to find in places where it should not be. */
export function newSecret(kind: 'token' | 'login'): string {
  return `varve_${kind}_${randomBytes(secretBytes).toString('base64url')}`;
}

/** Whether a secret is one of a token, not of a log-in. */
export function isToken(secret: string): boolean {
  return secret.startsWith('varve_token_');
}

export function secretHash(secret: string): string {
  return hash('sha256', secret, 'hex');
}

/** The realm of what belongs to one user alone. */
export function personalRealm(userName: string): string {
  return `~${userName}`;
}

/** What a user may do, with the limits of the token if there is one. */
export function accessOf(account: AccountRow, token: TokenRow | undefined): Access {
  const role = token ? tokenRole(lesser(account.role, token.role), token.project) : account.role;
  const everything = [...account.projects, personalRealm(account.name)];
  const own = token?.project ? everything.filter((realm) => realm === token.project) : everything;
  const seesAll = role === 'admin' && !token?.project;
  return {
    userName: account.name,
    role,
    via: token ? 'token' : 'login',
    realms: seesAll ? undefined : own,
    own,
    ...(token ? { token: { project: token.project, expiresAt: token.expiresAt } } : {}),
  };
}

/** What a token may do at most: one of a project has nothing to say about the site, so it is no administrator's. */
export function tokenRole(role: Role, project: string | null): Role {
  return project === null ? role : lesser(role, 'submitter');
}

export function lesser(a: Role, b: Role): Role {
  return roles[Math.min(roles.indexOf(a), roles.indexOf(b))] as Role;
}

/** Who a token's secret belongs to; undefined when it is unknown, expired, revoked, or its user is shut out. */
export async function accessByToken(store: Store, secret: string, now: number): Promise<Access | undefined> {
  const token = await store.view.tokenByHash(secretHash(secret));
  if (!token || token.revokedAt !== null || (token.expiresAt !== null && token.expiresAt <= now))
    return undefined;
  const account = await store.view.account(token.account);
  if (!account || account.disabledAt !== null) return undefined;
  if (token.usedAt === null || now - token.usedAt > 60_000)
    await store.write((tx) => tx.tokenUsed(token.id, now), { durable: false });
  return accessOf(account, token);
}

/** Who is logged in with a session's secret. */
export async function accessByLogin(store: Store, secret: string, now: number): Promise<Access | undefined> {
  const login = await store.view.loginByHash(secretHash(secret));
  if (!login || login.expiresAt <= now) return undefined;
  const account = await store.view.account(login.account);
  return account && account.disabledAt === null ? accessOf(account, undefined) : undefined;
}
