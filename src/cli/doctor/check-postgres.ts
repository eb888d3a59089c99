// Does the configured PostgreSQL answer, and is it new enough?
import { withoutPassword } from '../../config/value-types.ts';
import type { Finding } from './finding.ts';

const leastVersion = 14;
const connectTimeoutMs = 3000;

/** Connects once, asks for the version, and closes. */
export async function checkPostgres(url: string): Promise<Finding> {
  const subject = 'store';
  const { default: pg } = await import('pg');
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: connectTimeoutMs });
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query<{ version: string }>(
      "select current_setting('server_version') as version",
    );
    const version = rows[0]?.version ?? 'unknown';
    return Number.parseInt(version, 10) >= leastVersion
      ? { subject, level: 'ok', detail: `PostgreSQL ${version} at ${withoutPassword(url)}` }
      : {
          subject,
          level: 'error',
          detail: `PostgreSQL ${version} is too old; Varve needs ${leastVersion} or newer`,
        };
  } catch (error) {
    const reason = (error as Error).message || (error as NodeJS.ErrnoException).code || 'unknown reason';
    return { subject, level: 'error', detail: `${withoutPassword(url)} does not answer: ${reason}` };
  } finally {
    await client.end().catch(() => {});
  }
}
