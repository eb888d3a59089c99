// How many actions beyond the free cores a manager takes ahead: as many as will start soon, judged by how long jobs have run lately. More
// would feed the back-end no better, and would keep them from other processes: what waits in one queue cannot run in another.
import type { JobOutcome } from '../core/ports/backend.ts';

/** What is taken ahead should start within this time. */
const horizonMs = 200;
/** Weight of the latest job in the running mean. */
const weight = 0.2;

export interface DispatchPace {
  /** Notes how long a job ran. */
  ended(outcome: JobOutcome): void;
  /** How many jobs so many cores begin within the horizon; before the first end, one for each core. */
  ahead(cores: number): number;
}

export function createDispatchPace(): DispatchPace {
  let meanMs: number | undefined;
  return {
    ended(outcome) {
      if (!('startedAt' in outcome) || outcome.startedAt === undefined || outcome.endedAt === undefined)
        return;
      const ms = Math.max(1, outcome.endedAt - outcome.startedAt);
      meanMs = meanMs === undefined ? ms : meanMs + weight * (ms - meanMs);
    },
    ahead: (cores) => (meanMs === undefined ? Math.ceil(cores) : Math.floor((horizonMs * cores) / meanMs)),
  };
}
