// Connections for looks. A look is a single statement that depends on no other, so many of them share a connection at once: what is asked
// within a turn of the event loop travels in one packet, because a packet each costs the process more than the look itself.
import type pg from 'pg';
import { isUnreachable } from './postgres-errors.ts';
import { type Asking, sendTogether } from './postgres-session.ts';

/** A connection that is taken from the pool, and how many looks share it. */
interface Line {
  readonly client: Promise<pg.PoolClient>;
  underWay: number;
  broken: Error | undefined;
}

/** Takes up to `most` connections of the pool while there is something to look at. */
export function sharedConnections(pool: pg.Pool, most: number): Asking {
  const lines = new Set<Line>();

  /** A line of its own for the look if there may be one more, else the one with the fewest looks. */
  function join(): Line {
    let line: Line | undefined;
    if (lines.size >= most) for (const one of lines) if (!line || one.underWay < line.underWay) line = one;
    if (!line) lines.add((line = { client: pool.connect(), underWay: 0, broken: undefined }));
    line.underWay += 1;
    return line;
  }

  /** Gives the connection back, or throws it away when it broke. */
  async function leave(line: Line): Promise<void> {
    line.underWay -= 1;
    if (line.underWay > 0) return;
    lines.delete(line);
    const client = await line.client;
    client.off('error', ignore);
    client.release(line.broken);
  }

  return {
    async query(config: pg.QueryConfig) {
      const line = join();
      let client: pg.PoolClient;
      try {
        client = await line.client;
      } catch (error) {
        lines.delete(line);
        throw error;
      }
      if (client.listenerCount('error', ignore) === 0) client.on('error', ignore);
      try {
        sendTogether(client, setImmediate);
        return await client.query(config);
      } catch (error) {
        if (isUnreachable(error)) {
          line.broken = error as Error;
          // Nobody else joins it.
          lines.delete(line);
        }
        throw error;
      } finally {
        void leave(line);
      }
    },
  };
}

/** A connection that breaks fails the looks that share it, which is all that anybody needs to know. */
function ignore(): void {}
