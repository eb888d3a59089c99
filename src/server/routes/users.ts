// Users of a server and the tokens by which their programs are known.
import type { Output } from '../../api/api.ts';
import type { userRoutes } from '../../api/contract/users.ts';
import type { AccountRow, TokenRow } from '../../core/ports/accounts.ts';
import type { StoreTransaction } from '../../core/ports/store.ts';
import { lesser, newSecret, personalRealm, secretHash, tokenRole } from '../accounts.ts';
import { type Caller, view } from '../caller.ts';
import { serverErrors } from '../error-codes.ts';
import type { Handlers } from '../handlers.ts';

const namePattern = /^[a-z0-9][a-z0-9._-]{0,62}$/;

export const userHandlers: Handlers<typeof userRoutes> = {
  async listUsers(_, caller) {
    return { items: (await view(caller).accounts()).map(shownUser) };
  },

  async putUser({ user, role, projects }, caller) {
    for (const name of [user, ...(projects ?? [])])
      if (!namePattern.test(name)) throw serverErrors.USER_NAME(name.slice(0, 100));
    const account = await caller.site.varve.store.write(async (tx) => {
      const known = await tx.account(user);
      const changed: AccountRow = {
        name: user,
        role: role ?? known?.role ?? 'submitter',
        projects: [...new Set(projects ?? known?.projects ?? [])].sort(),
        subject: known?.subject ?? null,
        createdAt: known?.createdAt ?? Date.now(),
        createdBy: known?.createdBy ?? caller.access.userName,
        disabledAt: null,
      };
      if (known?.role === 'admin' && changed.role !== 'admin') await requireOtherAdmin(tx, user);
      await tx.putAccount(changed);
      return changed;
    });
    return shownUser(account);
  },

  async disableUser({ user }, caller) {
    const account = await caller.site.varve.store.write(async (tx) => {
      const known = await tx.account(user);
      if (!known) throw serverErrors.USER_NOT_FOUND(user);
      if (known.role === 'admin') await requireOtherAdmin(tx, user);
      const disabled = { ...known, disabledAt: known.disabledAt ?? Date.now() };
      await tx.putAccount(disabled);
      await tx.endLoginsOf(user);
      return disabled;
    });
    return shownUser(account);
  },

  async listTokens({ user }, caller) {
    const whose = asAdmin(caller) ? user : caller.access.userName;
    return { items: (await view(caller).tokens(whose)).map(shownToken) };
  },

  async addToken({ user, name, role, project, forMs }, caller) {
    const { userName } = caller.access;
    const whose = user ?? userName;
    if (whose !== userName && !asAdmin(caller)) throw serverErrors.ROLE_DENIED('admin', caller.access.role);
    const account = await view(caller).account(whose);
    if (!account) throw serverErrors.USER_NOT_FOUND(whose);
    // A token never allows more, nor for longer, than the one by which it was made.
    const { token: maker } = caller.access;
    const limits = whose === userName ? maker : undefined;
    const within = project ?? limits?.project ?? null;
    const outside = limits?.project != null && within !== limits.project;
    if (within !== null && (outside || ![...account.projects, personalRealm(whose)].includes(within)))
      throw serverErrors.PROJECT_DENIED(within);
    const most = limits ? caller.access.role : account.role;
    const secret = newSecret('token');
    const now = Date.now();
    const token = {
      account: whose,
      name: name ?? '',
      role: tokenRole(lesser(role ?? most, most), within),
      project: within,
      createdAt: now,
      expiresAt: forMs === undefined ? (limits?.expiresAt ?? null) : soonest(now + forMs, limits?.expiresAt),
    };
    const id = await caller.site.varve.store.write((tx) => tx.addToken(token, secretHash(secret)));
    return { ...shownToken({ ...token, id, revokedAt: null, usedAt: null }), secret };
  },

  async revokeToken({ token: id }, caller) {
    const own = await view(caller).tokens(asAdmin(caller) ? undefined : caller.access.userName);
    const mine = own.some((token) => token.id === id);
    const revoked = mine && (await caller.site.varve.store.write((tx) => tx.revokeToken(id, Date.now())));
    if (!revoked) throw serverErrors.TOKEN_NOT_FOUND(id);
    return { token: id };
  },
};

function asAdmin({ access }: Caller): boolean {
  return access.role === 'admin' && access.realms === undefined;
}

function soonest(at: number, limit: number | null | undefined): number {
  return Math.min(at, limit ?? at);
}

async function requireOtherAdmin(tx: StoreTransaction, user: string): Promise<void> {
  const others = (await tx.accounts()).filter(
    ({ name, role, disabledAt }) => name !== user && role === 'admin' && disabledAt === null,
  );
  if (others.length === 0) throw serverErrors.LAST_ADMIN(user);
}

function shownUser({ name, subject, ...account }: AccountRow): Output<'putUser'> {
  const { role, createdAt, createdBy, disabledAt } = account;
  return {
    user: name,
    role,
    projects: [...account.projects],
    loggedInBy: subject,
    createdAt,
    createdBy,
    disabledAt,
  };
}

function shownToken({ id, account, ...token }: TokenRow): Output<'listTokens'>['items'][number] {
  return { token: id, user: account, ...token };
}
