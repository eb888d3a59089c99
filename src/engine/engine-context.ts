// What every part of the engine is given: the ports, the clock, and who it is. Made once by the composition root.
import type { ActionType } from '../core/ports/action-type.ts';
import type { Clock } from '../core/ports/clock.ts';
import type { DatasetStorage } from '../core/ports/storage.ts';
import type { MoveContext, Store } from '../core/ports/store.ts';

export interface EngineContext {
  readonly store: Store;
  readonly storage: DatasetStorage;
  readonly clock: Clock;
  readonly actionTypes: ReadonlyMap<string, ActionType>;
  /** Owner of leases and actor in the journal: unique per process start. */
  readonly owner: string;
  /** Random text for attempt keys; injected so that a simulation repeats. */
  readonly randomText: () => string;
}

/** Who does it and when, for a move. */
export function by(context: Pick<EngineContext, 'owner' | 'clock'>): MoveContext {
  return { actor: context.owner, at: context.clock.now() };
}
