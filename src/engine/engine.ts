// The engine of one process: managers and membership around one store. Commands (submit, cancel, …) need no running managers; any
// process on the same store will do the work.
import type { ActionType } from '../core/ports/action-type.ts';
import type { Backend, BackendEvents } from '../core/ports/backend.ts';
import type { Clock } from '../core/ports/clock.ts';
import type { Decider } from '../core/ports/decider.ts';
import type { DecisionMemory } from '../core/ports/decision-memory.ts';
import type { DatasetStorage } from '../core/ports/storage.ts';
import type { Store } from '../core/ports/store.ts';
import { type ActionManager, createActionManager } from './action-manager.ts';
import { createDatasetManager, type DatasetManager } from './dataset-manager.ts';
import { createDecisionManager, type DecisionManager } from './decision-manager.ts';
import type { EngineContext } from './engine-context.ts';
import { engineErrors } from './error-codes.ts';
import { createHistoryKeeper } from './keep-history.ts';
import { createDecisionMaker } from './make-decision.ts';
import type { BudgetOptions } from './measure-space.ts';
import { joinMembers, type Membership, type MembershipOptions } from './membership.ts';
import { createObedience, type Obedience } from './obedience.ts';

export interface EngineOptions {
  readonly store: Store;
  readonly storage: DatasetStorage;
  readonly actionTypes: readonly ActionType[];
  readonly clock: Clock;
  readonly owner: string;
  readonly randomText: () => string;
  readonly programVersion: string;
  readonly leaseMs?: number;
  readonly pollMs?: number;
  readonly identity?: MembershipOptions['identity'];
  /** Told about problems that do not stop the engine. */
  readonly onProblem?: (error: unknown, doing: string) => void;
  readonly decisions?: DecisionOptions | undefined;
}

/** How datasets are given up and history is kept. */
export interface DecisionOptions {
  /** Space that datasets may take; no limit without it. */
  readonly budget?: BudgetOptions | undefined;
  /** Makes the decider when the first decision is due. */
  readonly makeDecider: () => Promise<Decider>;
  /** Where what was made of the history is kept for the next process; it reads all of it without. */
  readonly memory?: DecisionMemory | undefined;
  /** New events before which nothing is kept again. */
  readonly memoryEvents?: number | undefined;
  /** Age at which the details of ended runs are compacted; never without it. */
  readonly retentionMs?: number | undefined;
}

/**
 * What a process does besides answering: a worker runs actions on its machine, a manager decides about datasets, deletes, and
 * gives actions to workers that are reached over the network.
 */
export type EngineRole = 'manager' | 'worker';

export interface StartOptions {
  readonly roles?: readonly EngineRole[] | undefined;
  /** What else the process does, for those who look at the group. */
  readonly alsoIs?: readonly string[] | undefined;
  /** Actions are taken: by workers, unless said otherwise. */
  readonly takesActions?: boolean | undefined;
  /** What this machine offers and how large it is, for those who look at the group. */
  readonly tags?: string | undefined;
  readonly capacity?: string | undefined;
  /** Called when an operator wants the process to end; by then it has finished what it should finish. */
  readonly onToldToLeave?: (() => void) | undefined;
}

export interface Engine {
  readonly context: EngineContext;
  /**
   * Joins the group that shares the store and begins to work, in both roles unless told otherwise; a worker's back-end is made
   * with the manager's events.
   */
  start(makeBackend: (events: BackendEvents) => Backend, options?: StartOptions): Promise<void>;
  /** Finishes what is in hand as far as it does not run, and leaves. Running jobs go on and are taken over by others. */
  stop(): Promise<void>;
  readonly datasetManager: DatasetManager;
  readonly decisionManager: DecisionManager;
  readonly actionManager: ActionManager;
}

const defaultLeaseMs = 30_000;
const defaultPollMs = 5_000;

export function createEngine(options: EngineOptions): Engine {
  const { store, storage, clock, owner, randomText } = options;
  const leaseMs = options.leaseMs ?? defaultLeaseMs;
  const pollMs = options.pollMs ?? defaultPollMs;
  const onProblem = options.onProblem ?? (() => {});
  const actionTypes = new Map(options.actionTypes.map((type) => [type.name, type]));
  const context: EngineContext = { store, storage, clock, actionTypes, owner, randomText };
  let backend: Backend | undefined;
  let membership: Membership | undefined;
  let running: Promise<unknown> | undefined;
  let obedience: Obedience | undefined;
  const datasetManager = createDatasetManager(context, { leaseMs, pollMs, deletors: 8, onProblem });
  const { decisions } = options;
  const makeDecider = decisions?.makeDecider ?? (() => Promise.reject(engineErrors.NO_DECIDER()));
  const keeper =
    decisions?.memory &&
    createHistoryKeeper({
      memory: decisions.memory,
      program: options.programVersion,
      leastEvents: decisions.memoryEvents,
    });
  const maker = createDecisionMaker(context, makeDecider, keeper);
  const decisionManager = createDecisionManager(context, maker, {
    leaseMs,
    pollMs,
    onProblem,
    budget: decisions?.budget,
    retentionMs: decisions?.retentionMs,
    sweep: () => datasetManager.sweep(),
  });
  const actionManager = createActionManager(context, () => backend as Backend, {
    leaseMs,
    pollMs,
    onProblem,
    makeRoom: () => decisionManager.makeRoom(),
  });

  return {
    context,
    actionManager,
    datasetManager,
    decisionManager,
    async start(makeBackend, { roles = ['manager', 'worker'], alsoIs = [], ...more } = {}) {
      const works = more.takesActions ?? roles.includes('worker');
      const manages = roles.includes('manager');
      if (works) backend = makeBackend(actionManager.events);
      obedience = createObedience(actionManager, more.onToldToLeave ?? (() => {}));
      membership = await joinMembers(context, {
        leaseMs,
        roles: [...alsoIs, ...roles],
        programVersion: options.programVersion,
        tags: more.tags,
        capacity: more.capacity,
        doing: () => (works ? actionManager.describe() : null),
        obey: obedience.obey,
        onProblem,
        ...(options.identity ? { identity: options.identity } : {}),
      });
      running = Promise.all([
        membership.run(),
        ...(works ? [actionManager.run()] : []),
        ...(manages ? [datasetManager.run(), decisionManager.run()] : []),
      ]);
    },
    async stop() {
      obedience?.close();
      await actionManager.stop();
      await decisionManager.stop();
      await datasetManager.stop();
      await backend?.close();
      await membership?.leave();
      await running;
    },
  };
}
