// Opens the database behind a store URL. Each driver is loaded only where it is used: a process that starts for one small run pays
// for no other.
import type { Database } from './database.ts';
import { parseStoreUrl } from './store-url.ts';

export interface DatabaseOptions {
  /** Connections to PostgreSQL. */
  readonly poolSize?: number;
  /** How long statements wait for locks or for a server that is away. */
  readonly waitMs?: number;
  /** Looks only: an SQLite file is neither created nor changed. */
  readonly readOnly?: boolean;
}

/** Opens without touching the schema. */
export async function openDatabase(url: string, options: DatabaseOptions = {}): Promise<Database> {
  const { poolSize, waitMs, readOnly } = options;
  const parsed = parseStoreUrl(url);
  if (parsed.kind === 'sqlite') {
    const { openSqlite } = await import('./sqlite.ts');
    return openSqlite(parsed.path, {
      ...(waitMs === undefined ? {} : { lockWaitMs: waitMs }),
      ...(readOnly === undefined ? {} : { readOnly }),
    });
  }
  const { openPostgres } = await import('./postgres.ts');
  return openPostgres(parsed.url, {
    ...(poolSize === undefined ? {} : { poolSize }),
    ...(waitMs === undefined ? {} : { outageWaitMs: waitMs }),
  });
}
