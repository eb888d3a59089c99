// Group commit: transactions that arrive while one is under way share the next one. Each body sees the effects of those before
// it. If one of them throws, the group is undone and run again with each body in a part of its own that can be undone alone,
// so a failure touches only its owner. Nothing is reported before its commit. Planners form groups of their own: they may
// wait long for each other, here or in other processes, and what is short goes on meanwhile.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Durability, PlanQuestions, WriteOptions } from '../core/ports/store.ts';
import type { Database, Outcome, TransactionSession } from './database.ts';
import { Outbox } from './outbox.ts';

type Body<T> = (session: TransactionSession, outbox: Outbox) => Promise<T>;

interface QueueOptions extends Required<Pick<WriteOptions, 'durable' | 'planning'>> {
  readonly asks?: PlanQuestions | undefined;
}

export interface QueueSteps {
  /** Answers what the bodies of a group are going to ask. */
  beforePlans(
    session: TransactionSession,
    outbox: Outbox,
    questions: readonly PlanQuestions[],
  ): Promise<void>;
  /** Writes what the bodies left in the outbox. */
  beforeCommit(session: TransactionSession, outbox: Outbox): Promise<void>;
}

interface Waiting {
  readonly body: Body<unknown>;
  readonly options: QueueOptions;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

export interface WriteQueue {
  run<T>(body: Body<T>, options: QueueOptions): Promise<T>;
  /** Resolves when nothing is waiting or under way. */
  drained(): Promise<void>;
}

const largestGroup = 200;
/** A plan takes a millisecond and more: whoever only looks need not wait for a whole group of them, nor they each time for all who look. */
const planningSliceMs = 4;

export function createWriteQueue(database: Database, { beforePlans, beforeCommit }: QueueSteps): WriteQueue {
  const waiting: Waiting[] = [];
  const waitingPlanners: Waiting[] = [];
  let underWay = 0;
  let planning = false;
  let idle: (() => void)[] = [];

  const isIdle = (): boolean => underWay === 0 && waiting.length === 0 && waitingPlanners.length === 0;

  function pump(): void {
    while (underWay < database.lanes && waiting.length > 0) start(waiting.splice(0, largestGroup));
    // Never in every lane.
    if (underWay < database.lanes && !planning && waitingPlanners.length > 0) {
      planning = true;
      start(waitingPlanners.splice(0, largestGroup), () => {
        planning = false;
      });
    }
    if (!isIdle()) return;
    for (const resolve of idle) resolve();
    idle = [];
  }

  function start(group: readonly Waiting[], atEnd = (): void => {}): void {
    underWay += 1;
    void commit(group).finally(() => {
      underWay -= 1;
      atEnd();
      pump();
    });
  }

  async function commit(group: readonly Waiting[]): Promise<void> {
    try {
      const outcomes = await together(group).catch((error: unknown) => {
        if (group.length === 1) throw error;
        return apart(group);
      });
      group.forEach((one, i) => {
        const outcome = outcomes[i] as Outcome<unknown>;
        if ('error' in outcome) one.reject(outcome.error);
        else one.resolve(outcome.value);
      });
    } catch (error) {
      for (const one of group) one.reject(error);
    }
  }

  /** The common case: all succeed. */
  function together(group: readonly Waiting[]): Promise<Outcome<unknown>[]> {
    return inTransaction(group, async (session, topics) => {
      const outbox = new Outbox(topics);
      const outcomes: Outcome<unknown>[] = [];
      const letOthers = turns(planningSliceMs);
      const questions = group.flatMap((one) => one.options.asks ?? []);
      if (questions.length > 0) await beforePlans(session, outbox, questions);
      for (const one of group) {
        outcomes.push({ value: await one.body(session, outbox) });
        if (one.options.planning) await letOthers();
      }
      await beforeCommit(session, outbox);
      return outcomes;
    });
  }

  function apart(group: readonly Waiting[]): Promise<Outcome<unknown>[]> {
    return inTransaction(group, async (session, topics) => {
      const outcomes: Outcome<unknown>[] = [];
      for (const one of group) {
        const outbox = new Outbox();
        const outcome = await session.attempt(async () => {
          const value = await one.body(session, outbox);
          await beforeCommit(session, outbox);
          return value;
        });
        outcomes.push(outcome);
        if ('value' in outcome) for (const topic of outbox.topics) topics.add(topic);
      }
      return outcomes;
    });
  }

  async function inTransaction(
    group: readonly Waiting[],
    body: (session: TransactionSession, topics: Set<string>) => Promise<Outcome<unknown>[]>,
  ): Promise<Outcome<unknown>[]> {
    let topics = new Set<string>();
    const outcomes = await database.transaction(
      (session) => {
        topics = new Set();
        return body(session, topics);
      },
      { durable: strongest(group), parts: group.length },
    );
    database.notify(topics);
    return outcomes;
  }

  return {
    run<T>(body: Body<T>, options: QueueOptions): Promise<T> {
      const { promise, resolve, reject } = Promise.withResolvers<T>();
      const queue = options.planning ? waitingPlanners : waiting;
      queue.push({ body, options, resolve: resolve as (value: unknown) => void, reject });
      // Collected until the current turn of the event loop is over, so that what arrives together commits together.
      if (queue.length === 1) setImmediate(pump);
      return promise;
    },
    drained() {
      if (isIdle()) return Promise.resolve();
      return new Promise((resolve) => idle.push(resolve));
    },
  };
}

/** Lets the event loop turn when it has not done so for this long. */
function turns(sliceMs: number): () => Promise<void> {
  let since = performance.now();
  let watching = false;
  const watch = (): void => {
    if (watching) return;
    watching = true;
    setImmediate(() => {
      watching = false;
      since = performance.now();
    });
  };
  watch();
  return async () => {
    watch();
    if (performance.now() - since >= sliceMs) await nextTurn();
  };
}

function strongest(group: readonly Waiting[]): Durability {
  const wanted = group.map((one) => one.options.durable);
  return wanted.includes(true) || (wanted.includes('processes') && 'processes');
}
