// Users of a server, what they may see, and the secrets by which they are known. Secrets are stored as SHA-256 only.

export const accountRoles = ['viewer', 'submitter', 'admin'] as const;
export type AccountRole = (typeof accountRoles)[number];

export interface AccountRow {
  readonly name: string;
  readonly role: AccountRole;
  /** Projects whose runs and datasets the user may see, in order of their names. */
  readonly projects: readonly string[];
  /** Who the user is to the OpenID provider: `issuer subject`. */
  readonly subject: string | null;
  readonly createdAt: number;
  readonly createdBy: string;
  readonly disabledAt: number | null;
}

export interface TokenRow {
  readonly id: number;
  readonly account: string;
  /** What it is for, in the user's words. */
  readonly name: string;
  /** The most that it allows, whatever its user may do. */
  readonly role: AccountRole;
  /** Only for this project; for all of its user without it. */
  readonly project: string | null;
  readonly createdAt: number;
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
  readonly usedAt: number | null;
}

export interface LoginRow {
  readonly account: string;
  readonly createdAt: number;
  readonly expiresAt: number;
}

export interface AccountsView {
  accounts(): Promise<AccountRow[]>;
  account(name: string): Promise<AccountRow | undefined>;
  accountBySubject(subject: string): Promise<AccountRow | undefined>;
  anyAccount(): Promise<boolean>;
  tokens(account?: string): Promise<TokenRow[]>;
  tokenByHash(sha256: string): Promise<TokenRow | undefined>;
  loginByHash(sha256: string): Promise<LoginRow | undefined>;
}

export interface AccountsWrites {
  /** Adds or changes an account, its projects included. */
  putAccount(account: AccountRow): Promise<void>;
  addToken(token: Omit<TokenRow, 'id' | 'revokedAt' | 'usedAt'>, sha256: string): Promise<number>;
  revokeToken(id: number, at: number): Promise<boolean>;
  tokenUsed(id: number, at: number): Promise<void>;
  addLogin(login: LoginRow, sha256: string): Promise<void>;
  /** Ends one log-in by its hash. */
  endLogin(sha256: string): Promise<void>;
  endLoginsOf(account: string): Promise<void>;
  /** Forgets log-ins that ran out before a time. */
  forgetLogins(before: number): Promise<void>;
}
