// Group commit: transactions that arrive while one is under way share the next one. Each body sees the effects of those before
// it. If one of them throws, the group is undone and every body runs again in a transaction of its own, so a failure
// touches only its owner. Nothing is reported before its commit.
import type { Database, Session } from './database.ts';

type Body<T> = (session: Session, topics: Set<string>) => Promise<T>;

interface Waiting {
  readonly body: Body<unknown>;
  readonly durable: boolean;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

export interface WriteQueue {
  run<T>(body: Body<T>, durable: boolean): Promise<T>;
  /** Resolves when nothing is waiting or under way. */
  drained(): Promise<void>;
}

const largestGroup = 200;

export function createWriteQueue(database: Database): WriteQueue {
  const waiting: Waiting[] = [];
  let underWay = 0;
  let idle: (() => void)[] = [];

  function pump(): void {
    while (underWay < database.lanes && waiting.length > 0) {
      const group = waiting.splice(0, largestGroup);
      underWay += 1;
      void commit(group).finally(() => {
        underWay -= 1;
        pump();
      });
    }
    if (underWay === 0 && waiting.length === 0) {
      for (const resolve of idle) resolve();
      idle = [];
    }
  }

  async function commit(group: readonly Waiting[]): Promise<void> {
    const durable = group.some((one) => one.durable);
    const topics = new Set<string>();
    try {
      const results = await database.transaction(
        async (session) => {
          topics.clear();
          const values: unknown[] = [];
          for (const one of group) values.push(await one.body(session, topics));
          return values;
        },
        { durable },
      );
      database.notify(topics);
      group.forEach((one, i) => {
        one.resolve(results[i]);
      });
    } catch (error) {
      if (group.length === 1) group[0]?.reject(error);
      else for (const one of group) await commit([one]);
    }
  }

  return {
    run<T>(body: Body<T>, durable: boolean): Promise<T> {
      const { promise, resolve, reject } = Promise.withResolvers<T>();
      waiting.push({ body, durable, resolve: resolve as (value: unknown) => void, reject });
      // Collected until the current turn of the event loop is over, so that what arrives together commits together.
      if (waiting.length === 1) queueMicrotask(() => queueMicrotask(pump));
      return promise;
    },
    drained() {
      if (underWay === 0 && waiting.length === 0) return Promise.resolve();
      return new Promise((resolve) => idle.push(resolve));
    },
  };
}
