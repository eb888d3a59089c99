// What one manager has in its hands: taken actions with what is known of them, found by action and by attempt key.
import type { ActionType } from '../core/ports/action-type.ts';
import type { ActionRow } from '../core/rows.ts';
import type { NodeDefinition } from '../core/workflow.ts';
import type { ActionInputs } from './action-inputs.ts';

export interface Held {
  readonly action: ActionRow;
  readonly node: NodeDefinition;
  readonly type: ActionType;
  readonly inputs: ActionInputs;
  /** From which bytes it is made; unknown when an attempt is taken over whose inputs have been lost meanwhile. */
  physical?: { readonly signature: string; readonly inputs: string };
  attempt?: { readonly id: number; readonly key: string };
  /** Set while its end is being dealt with; an end that is told twice is dealt with once. */
  ending?: boolean;
}

export interface HeldActions {
  /** In place of what is held of the same action, if anything is. */
  add(one: Held): void;
  /** From then on it is found by the key of its attempt too. */
  attach(one: Held, attempt: { readonly id: number; readonly key: string }): void;
  drop(one: Held): void;
  get(actionId: number): Held | undefined;
  byKey(key: string): Held | undefined;
  values(): IteratorObject<Held, undefined>;
  readonly size: number;
  /** Does the work on what is in hand; if it breaks off, lets go of it: the store says what to do next, as after a crash. */
  orLetGo<T>(batch: readonly Held[], work: () => Promise<T>): Promise<T>;
}

export function createHeldActions(): HeldActions {
  const byId = new Map<number, Held>();
  const byKey = new Map<string, Held>();
  const drop = (one: Held): void => {
    if (byId.get(one.action.id) === one) byId.delete(one.action.id);
    if (one.attempt && byKey.get(one.attempt.key) === one) byKey.delete(one.attempt.key);
  };
  return {
    add: (one) => void byId.set(one.action.id, one),
    attach(one, attempt) {
      one.attempt = attempt;
      byKey.set(attempt.key, one);
    },
    drop,
    get: (actionId) => byId.get(actionId),
    byKey: (key) => byKey.get(key),
    values: () => byId.values(),
    get size() {
      return byId.size;
    },
    async orLetGo(batch, work) {
      try {
        return await work();
      } catch (error) {
        for (const one of batch) drop(one);
        throw error;
      }
    },
  };
}
