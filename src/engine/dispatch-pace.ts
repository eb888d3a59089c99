// How many actions beyond the free cores a manager takes ahead: as many as will start soon, judged by how long jobs have run lately and
// by those that have been running for long. More would feed the back-end no better, and would keep them from other processes: what waits
// in one queue cannot run in another.
import type { JobOutcome } from '../core/ports/backend.ts';

/** What is taken ahead should start within this time. */
const horizonMs = 200;
/** Weight of the latest job in the running mean. */
const weight = 0.2;

export interface DispatchPace {
  /** Notes that a job runs. */
  started(key: string, at: number): void;
  /** Notes how long a job ran. */
  ended(key: string, outcome: JobOutcome): void;
  /** How many jobs so many cores begin within the horizon; before the first is known, one for each core. */
  ahead(cores: number, now: number): number;
}

/**
 * How many to take now, of those that run and those that wait behind them. None while more than half of what may wait is still waiting:
 * they come in batches, which cost a fraction of what they cost one by one.
 */
export function roomAhead(room: { cores: number; ahead: number; inHand: number }): number {
  const { cores, ahead, inHand } = room;
  return inHand > cores + ahead / 2 ? 0 : cores + ahead - inHand;
}

export function createDispatchPace(): DispatchPace {
  let meanMs: number | undefined;
  const running = new Map<string, number>();
  return {
    started(key, at) {
      running.set(key, at);
    },
    ended(key, outcome) {
      running.delete(key);
      if (!('startedAt' in outcome) || outcome.startedAt === undefined || outcome.endedAt === undefined)
        return;
      const ms = Math.max(1, outcome.endedAt - outcome.startedAt);
      meanMs = meanMs === undefined ? ms : meanMs + weight * (ms - meanMs);
    },
    ahead(cores, now) {
      const long = [...running.values()].filter((at) => now - at > horizonMs).length;
      if (meanMs === undefined) return long > 0 ? 0 : Math.ceil(cores);
      return Math.floor((horizonMs * Math.max(0, cores - long)) / meanMs);
    },
  };
}
