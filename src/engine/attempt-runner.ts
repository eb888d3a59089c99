// The life of taken actions inside one manager, from the hand-over to the back-end to the end that it reports.
import type { Backend, JobOutcome } from '../core/ports/backend.ts';
import type { ActionRow, AttemptRow } from '../core/rows.ts';
import { createAttemptBeginnings } from './attempt-beginnings.ts';
import { createAttemptEndings } from './attempt-endings.ts';
import { by, type EngineContext } from './engine-context.ts';
import { createHeldActions } from './held-actions.ts';

export interface AttemptRunner {
  /** Begins the actions, all of which the manager has just taken. */
  begin(actions: readonly ActionRow[]): Promise<void>;
  /** Goes on with actions that another manager had handed to the back-end. */
  resume(actions: readonly ActionRow[]): Promise<void>;
  /** To be called when the back-end reports an end. */
  ended(key: string, outcome: JobOutcome): Promise<void>;
  started(key: string, at: number): void;
  /** Stops the attempts of these actions. */
  cancel(actions: readonly ActionRow[]): Promise<void>;
  /** How many actions the manager has in its hands. */
  readonly size: number;
  /** Names of some of them. */
  names(most: number): readonly string[];
  /** False for an action that the runner let go of because something went wrong: somebody has to take it over. */
  holds(actionId: number): boolean;
  /** Resolves when everything that was begun has been handed over or given up. */
  settled(): Promise<void>;
}

export function createAttemptRunner(
  context: EngineContext,
  backend: Backend,
  onProblem: (error: unknown, doing: string) => void,
  /** Called when an attempt ended that the back-end knows nothing of. */
  onEnd: () => void,
): AttemptRunner {
  const { store } = context;
  const held = createHeldActions();
  const pending = new Set<Promise<unknown>>();

  /** Keeps the promise in sight, so that nothing fails unnoticed. */
  function track(work: Promise<unknown>, doing: string): void {
    const watched = work.catch((error) => onProblem(error, doing)).finally(() => pending.delete(watched));
    pending.add(watched);
  }

  const endings = createAttemptEndings(context, held, onProblem);
  const parts = { held, backend, endings, onProblem, onEnd, track };
  const beginnings = createAttemptBeginnings(context, parts);

  return {
    begin: (actions) => beginnings.begin(actions),
    async resume(actions) {
      const attempts = Map.groupBy(
        await store.view.attempts(actions.map((action) => action.id)),
        (row) => row.actionId,
      );
      const fresh: ActionRow[] = [];
      const handed: ActionRow[] = [];
      for (const action of actions) {
        (action.state === 'PROCESSING' || action.state === 'STAGING' ? fresh : handed).push(action);
      }
      await beginnings.recover(handed, ({ id }) => attempts.get(id)?.at(-1) as AttemptRow);
      if (fresh.length > 0) await beginnings.begin(fresh);
    },
    async ended(key, outcome) {
      const one = held.byKey(key);
      if (one) await endings.end(one, outcome);
    },
    started(key, at) {
      const one = held.byKey(key);
      if (!one?.attempt) return;
      const { id } = one.attempt;
      const work = store.write(
        async (tx) => {
          await tx.move('attempt', 'start', [{ id, set: { startedAt: at } }], by(context));
          await tx.move('action', 'start', [{ id: one.action.id, fence: one.action.fence }], by(context));
          tx.notify('run');
        },
        { durable: false },
      );
      track(work, 'note a start');
    },
    async cancel(actions) {
      for (const action of actions) {
        const key = held.get(action.id)?.attempt?.key;
        if (key !== undefined) await backend.cancel(key);
      }
    },
    get size() {
      return held.size;
    },
    names: (most) =>
      held
        .values()
        .take(most)
        .map(({ action }) => action.name)
        .toArray(),
    holds: (actionId) => held.get(actionId) !== undefined,
    async settled() {
      while (pending.size > 0) await Promise.all(pending);
      await endings.drained();
    },
  };
}
