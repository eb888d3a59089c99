// Writing accounts, tokens and log-ins.
import type { AccountsWrites } from '../../core/ports/accounts.ts';
import type { Session } from '../database.ts';

const projectColumns = { account: 'text', project: 'text' } as const;

export function writeAccounts(session: Session): AccountsWrites {
  return {
    async putAccount({ name, role, subject, createdAt, createdBy, disabledAt, projects }) {
      await session.all(
        `insert into account (name, role, subject, created_at, created_by, disabled_at)
          values ($1, $2, $3, $4, $5, $6) on conflict (name) do update set
            role = excluded.role, subject = excluded.subject, disabled_at = excluded.disabled_at`,
        [name, role, subject, createdAt, createdBy, disabledAt],
      );
      await session.all('delete from account_project where account = $1', [name]);
      await session.insert(
        'account_project',
        projectColumns,
        [...new Set(projects)].map((project) => [name, project]),
      );
    },
    async addToken({ account, name, role, project, createdAt, expiresAt }, sha256) {
      const id = await session.reserve('token', 1);
      await session.all(
        `insert into token (id, account, name, role, project, sha256, created_at, expires_at)
          values ($1, $2, $3, $4, $5, $6, $7, $8)`,
        [id, account, name, role, project, sha256, createdAt, expiresAt],
      );
      return id;
    },
    async revokeToken(id, at) {
      const rows = await session.all(
        'update token set revoked_at = $2 where id = $1 and revoked_at is null returning id',
        [id, at],
      );
      return rows.length === 1;
    },
    async tokenUsed(id, at) {
      await session.all('update token set used_at = $2 where id = $1', [id, at]);
    },
    async addLogin({ account, createdAt, expiresAt }, sha256) {
      await session.all(
        'insert into login (sha256, account, created_at, expires_at) values ($1, $2, $3, $4)',
        [sha256, account, createdAt, expiresAt],
      );
    },
    async endLogin(sha256) {
      await session.all('delete from login where sha256 = $1', [sha256]);
    },
    async endLoginsOf(account) {
      await session.all('delete from login where account = $1', [account]);
    },
    async forgetLogins(before) {
      await session.all('delete from login where expires_at < $1', [before]);
    },
  };
}
