// Reading accounts, tokens and log-ins.
import type { AccountRow, AccountsView, LoginRow, TokenRow } from '../../core/ports/accounts.ts';
import type { Param, Session } from '../database.ts';

const accountColumns = `name, role, subject, created_at as "createdAt", created_by as "createdBy",
  disabled_at as "disabledAt"`;
const tokenColumns = `id, account, name, role, project, created_at as "createdAt", expires_at as "expiresAt",
  revoked_at as "revokedAt", used_at as "usedAt"`;

export function readAccounts(session: Session): AccountsView {
  const accounts = async (condition: string, params: readonly Param[]): Promise<AccountRow[]> => {
    const rows = await session.all<Omit<AccountRow, 'projects'>>(
      `select ${accountColumns} from account ${condition} order by name`,
      params,
    );
    if (rows.length === 0) return [];
    const links = await session.all<{ account: string; project: string }>(
      `select account, project from account_project
        where ${session.dialect.among('account', '$1', 'text')} order by account, project`,
      [rows.map((row) => row.name)],
    );
    const projects = Map.groupBy(links, (link) => link.account);
    return rows.map((row) => ({
      ...row,
      projects: (projects.get(row.name) ?? []).map((link) => link.project),
    }));
  };
  return {
    accounts: () => accounts('', []),
    account: async (name) => (await accounts('where name = $1', [name]))[0],
    accountBySubject: async (subject) => (await accounts('where subject = $1', [subject]))[0],
    anyAccount: async () => (await session.all('select 1 from account limit 1')).length > 0,
    tokens: (account) =>
      account === undefined
        ? session.all<TokenRow>(`select ${tokenColumns} from token order by id`)
        : session.all<TokenRow>(`select ${tokenColumns} from token where account = $1 order by id`, [
            account,
          ]),
    async tokenByHash(sha256) {
      const rows = await session.all<TokenRow>(`select ${tokenColumns} from token where sha256 = $1`, [
        sha256,
      ]);
      return rows[0];
    },
    async loginByHash(sha256) {
      const rows = await session.all<LoginRow>(
        `select account, created_at as "createdAt", expires_at as "expiresAt" from login where sha256 = $1`,
        [sha256],
      );
      return rows[0];
    },
  };
}
