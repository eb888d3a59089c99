// Wakes other processes over PostgreSQL's NOTIFY. Listeners of this process are told at once; what other processes say is heard on a
// connection of its own, which is made again whenever it breaks. Said after the commit and not inside the transaction,
// because commits that carry a notice are made one at a time by the server.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Param } from './database.ts';

export interface PostgresBell {
  ring(topics: ReadonlySet<string>): void;
  listen(listener: (topic: string) => void): () => void;
  close(): Promise<void>;
}

const channel = 'varve';
const journalEveryMs = 20;

export function createPostgresBell(
  url: string,
  send: (sql: string, params: readonly Param[]) => Promise<unknown>,
): PostgresBell {
  const self = randomUUID().slice(0, 8);
  const listeners = new Set<(topic: string) => void>();
  let unsaid = new Set<string>();
  let saying = false;
  let closed = false;
  let listening = false;
  let client: pg.Client | undefined;
  let journalDue: NodeJS.Timeout | undefined;

  const tell = (topics: Iterable<string>): void => {
    for (const topic of topics) for (const listener of listeners) listener(topic);
  };

  async function say(): Promise<void> {
    if (saying) return;
    saying = true;
    while (unsaid.size > 0 && !closed) {
      const topics = [...unsaid];
      unsaid = new Set();
      // A lost notice costs a poll interval, so an unreachable server is no error here.
      await send('select pg_notify($1, $2)', [channel, [self, ...topics].join(' ')]).catch(() => {});
    }
    saying = false;
  }

  function sayJournal(): void {
    journalDue = undefined;
    void say();
  }

  async function listenOnce(): Promise<void> {
    const connection = new pg.Client({
      connectionString: url,
      application_name: 'varve listen',
      keepAlive: true,
    });
    const ended = new Promise<void>((resolve) => {
      connection.on('error', () => resolve());
      connection.on('end', () => resolve());
    });
    connection.on('notification', ({ payload }) => {
      const [sender, ...topics] = (payload ?? '').split(' ');
      if (sender !== self) tell(topics);
    });
    try {
      await connection.connect();
      client = connection;
      await connection.query(`listen ${channel}`);
      // Something may have been said while nobody listened.
      if (!closed) tell(['*']);
      await ended;
    } finally {
      client = undefined;
      await connection.end().catch(() => {});
    }
  }

  async function keepListening(): Promise<void> {
    for (let delay = 50; !closed; delay = Math.min(5_000, delay * 2)) {
      const began = Date.now();
      // Polling is the safety net until the server is back.
      await listenOnce().catch(() => {});
      if (Date.now() - began > 10_000) delay = 50;
      if (!closed) await sleep(delay, undefined, { ref: false });
    }
  }

  return {
    ring(topics) {
      if (topics.size === 0 || closed) return;
      tell(topics);
      for (const topic of topics) unsaid.add(topic);
      // The journal changes all the time; those who follow it hear of it a few milliseconds later, for many changes at once.
      if (topics.size === 1 && topics.has('journal'))
        journalDue ??= setTimeout(sayJournal, journalEveryMs).unref();
      else void say();
    },
    listen(listener) {
      listeners.add(listener);
      if (!listening) void keepListening();
      listening = true;
      return () => listeners.delete(listener);
    },
    async close() {
      closed = true;
      clearTimeout(journalDue);
      await client?.end().catch(() => {});
    },
  };
}
