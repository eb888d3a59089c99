// The decision manager: watches the space that datasets take, and past the high watermark has datasets given up until the low one. It is
// woken by every completion, and asked before actions are taken, so that the budget holds while runs are under way; its first look is
// cheap. Any number of processes may run one: a lease lets one at a time decide.
import type { Topic } from '../core/ports/store.ts';
import { type DecisionLease, withDecisionLease } from './decision-lease.ts';
import type { EngineContext } from './engine-context.ts';
import type { HistoryFacts } from './history-facts.ts';
import { type HousekeepingOptions, keepHouse } from './keep-house.ts';
import type { Decision, DecisionMaker } from './make-decision.ts';
import { type BudgetOptions, measureSpace, roomFor, type Space, stayingBytes } from './measure-space.ts';
import { tellOverBudget } from './over-budget.ts';

export interface DecisionManagerOptions extends HousekeepingOptions {
  readonly leaseMs: number;
  readonly pollMs: number;
  /** Without a budget nothing is given up to save space; rules and retention are obeyed all the same. */
  readonly budget?: BudgetOptions | undefined;
  readonly onProblem: (error: unknown, doing: string) => void;
  /** Removes what was given up; returns when everything that can be removed now is gone. */
  readonly sweep: () => Promise<unknown>;
}

export interface DecisionManager {
  run(): Promise<void>;
  /** Ends after a last look, so that a process that leaves leaves the budget kept. */
  stop(): Promise<void>;
  /** Looks at the space and does what it takes; returns what was decided last, if anything. */
  step(): Promise<Decision | undefined>;
  /**
   * Resolves when what can go has gone, as far as space is short; at once when it is not. Says how many actions there is room for
   * beyond those that run. Never rejects.
   */
  makeRoom(): Promise<number>;
  /** Gives up at least this many bytes, if they can be; undefined while another process decides. */
  free(bytes: number): Promise<Decision | undefined>;
  /** What `free` would give up now; gives up nothing. */
  foresee(bytes: number): Promise<Decision>;
  /** Shows the recorded history, brought up to date; the body must not keep or change it. */
  remember<T>(body: (history: HistoryFacts) => T | Promise<T>): Promise<T>;
}

const housekeepingMs = 60_000;
/** How often a decision is repeated at once because others changed what it was made from, or were deciding themselves. */
const mostRounds = 50;
const otherDeciderMs = 20;
/** With room for this many datasets, a look holds good for a moment. */
const plenty = 1000;
const momentMs = 50;

export function createDecisionManager(
  context: EngineContext,
  maker: DecisionMaker,
  options: DecisionManagerOptions,
): DecisionManager {
  const { clock } = context;
  const { budget, leaseMs, pollMs, onProblem, sweep } = options;
  const halt = new AbortController();
  let wake = new AbortController();
  let loop: Promise<void> | undefined;
  let lastHousekeeping = clock.now();

  let deciding: Promise<unknown> = Promise.resolve();

  /** One decision at a time in this process, as the lease sees to it among processes. */
  function alone<T>(body: () => Promise<T>): Promise<T> {
    const done = deciding.then(body);
    deciding = done.catch(() => {});
    return done;
  }

  const decide = (bytes: number, space?: Space): Promise<Decision | undefined> =>
    alone(() => withDecisionLease(context, leaseMs, (lease) => maker.decide(lease, bytes, space)));

  /** Records first what ended, unless another process is at it. */
  const looking = <T>(body: (lease: DecisionLease | undefined) => Promise<T>): Promise<T> =>
    alone(async () => {
      const under = await withDecisionLease(context, leaseMs, async (lease) => ({
        found: await body(lease),
      }));
      return under ? under.found : body(undefined);
    });

  const remember: DecisionManager['remember'] = (body) => looking((lease) => maker.remember(lease, body));

  let under: Promise<Decision | undefined> | undefined;
  let safeUntil = Number.NEGATIVE_INFINITY;
  let room = 0;

  /** One look at a time: who comes while one is under way needs another after it. */
  async function step(): Promise<Decision | undefined> {
    while (under) await under.catch(() => {});
    under = look();
    try {
      return await under;
    } finally {
      under = undefined;
    }
  }

  async function look(): Promise<Decision | undefined> {
    if (!budget) return undefined;
    const tellIfOver = async (space: Space, staying: number): Promise<void> => {
      const held = space.leavingBytes > 0 ? (await measureSpace(context, budget)).heldBytes : 0;
      if (staying + held > space.budgetBytes) await tellOverBudget(context, space, staying + held);
    };
    let last: Decision | undefined;
    for (let round = 0; round < mostRounds; round += 1) {
      const space = await measureSpace(context, budget);
      room = roomFor(space);
      if (space.leavingBytes > 0) await sweep();
      const staying = stayingBytes(space);
      if (staying <= space.highBytes) {
        if (space.usedBytes > space.budgetBytes) await tellIfOver(space, staying);
        if (room > plenty) safeUntil = clock.now() + momentMs;
        return last;
      }
      const decision = await decide(staying - space.lowBytes, space);
      if (decision) {
        last = decision;
        await sweep();
        const left = staying - decision.freedBytes;
        if (decision.shortfallBytes === 0) continue;
        await tellIfOver(space, left);
        return last;
      }
      // Another process decides. Only if space is really short is it waited for.
      if (space.usedBytes <= space.budgetBytes) return last;
      await clock.sleep(otherDeciderMs, halt.signal);
    }
    return last;
  }

  async function makeRoom(): Promise<number> {
    if (!budget) return Number.POSITIVE_INFINITY;
    if (clock.now() < safeUntil) return room;
    try {
      await step();
    } catch (error) {
      onProblem(error, 'keep the storage budget');
      return 0;
    }
    return room;
  }

  async function attend(): Promise<void> {
    const now = clock.now();
    try {
      await step();
      if (now - lastHousekeeping >= housekeepingMs) {
        lastHousekeeping = now;
        await keepHouse(context, leaseMs, options, { giveUpUnwanted: () => decide(0), remember });
      }
    } catch (error) {
      onProblem(error, 'keep the storage budget');
      await clock.sleep(Math.min(1000, pollMs), halt.signal);
    }
    // A look that took long is not repeated at once, however much happens.
    await clock.sleep(Math.min(2 * (clock.now() - now), 1000), halt.signal);
  }

  async function lastLook(): Promise<void> {
    try {
      await step();
      const brief = { ...options, briefly: true };
      await keepHouse(context, leaseMs, brief, { giveUpUnwanted: () => decide(0), remember });
    } catch (error) {
      onProblem(error, 'keep the storage budget');
    }
  }

  return {
    step,
    makeRoom,
    free: (bytes) => decide(bytes),
    foresee: (bytes) => looking((lease) => maker.foresee(lease, bytes)),
    remember,
    async run() {
      const heard = (topic: Topic): void => {
        if (budget && (topic === 'run' || topic === 'doomed' || topic === '*')) wake.abort();
      };
      const unlisten = context.store.listen(heard);
      loop = (async () => {
        while (!halt.signal.aborted) {
          wake = new AbortController();
          await attend();
          if (!halt.signal.aborted) await clock.sleep(budget ? pollMs : housekeepingMs, wake.signal);
        }
      })();
      try {
        await loop;
      } finally {
        unlisten();
      }
    },
    async stop() {
      halt.abort();
      wake.abort();
      if (loop) {
        await loop;
        await lastLook();
      }
      await maker.close();
    },
  };
}
