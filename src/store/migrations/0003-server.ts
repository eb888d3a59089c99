// What a server for several users needs: accounts and their secrets (hashed), lists by realm, and the space in use over time.
import type { Migration } from './migration.ts';

export const server: Migration = {
  number: 3,
  name: 'server',
  breaking: false,
  statements(dialect) {
    const { key, int, text } = dialect.types;
    const { thenId, clustered } = dialect;
    return [
      `create index run_realm on run (realm, state${thenId})`,
      `create index run_name on run (name${thenId})`,
      `create index dataset_realm on dataset (realm, state${thenId}) where is_current = 1`,

      `create table account (
        name ${text} primary key,
        role ${text} not null,
        subject ${text},
        created_at ${int} not null,
        created_by ${text} not null,
        disabled_at ${int},
        constraint account_role check (role in ('viewer', 'submitter', 'admin'))
      )${clustered}`,
      'create unique index account_subject on account (subject) where subject is not null',
      `create table account_project (
        account ${text} not null,
        project ${text} not null,
        primary key (account, project)
      )${clustered}`,
      `create table token (
        id ${key},
        account ${text} not null,
        name ${text} not null,
        role ${text} not null,
        project ${text},
        sha256 ${text} not null,
        created_at ${int} not null,
        expires_at ${int},
        revoked_at ${int},
        used_at ${int},
        constraint token_role check (role in ('viewer', 'submitter', 'admin'))
      )`,
      'create unique index token_sha256 on token (sha256)',
      `create index token_account on token (account${thenId})`,
      "insert into counter (name, value) values ('token', 0)",
      `create table login (
        sha256 ${text} primary key,
        account ${text} not null,
        created_at ${int} not null,
        expires_at ${int} not null
      )${clustered}`,
      'create index login_expiry on login (expires_at)',

      `create table space_sample (
        at ${key},
        used_bytes ${int} not null,
        result_bytes ${int} not null,
        budget_bytes ${int}
      )`,
    ];
  },
};
