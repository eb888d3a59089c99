// Least frequently used with decay (LRFU): every use counts one, and counts halve every so many runs, so that it lies
// between counting (long half-life) and recency (short half-life).
import { rankCandidates, takeUntilFree } from '../core/eviction/candidates.ts';
import { resized } from '../core/eviction/dataset-table.ts';
import type { DecisionAlgorithm } from '../core/ports/decision-algorithm.ts';

export interface LfuState {
  readonly halfLifeRuns: number;
  runs: number;
  /** Decayed count at the run in `at`. */
  weight: Float64Array;
  at: Float64Array;
}

export const lfuDecay: DecisionAlgorithm<LfuState> = {
  name: 'lfu-decay',
  reason: 'was used least often of late',
  init(settings) {
    const wanted = settings.halfLifeRuns;
    return {
      halfLifeRuns: typeof wanted === 'number' && wanted > 0 ? wanted : 20,
      runs: 0,
      weight: new Float64Array(64),
      at: new Float64Array(64),
    };
  },
  observe(state, event, known) {
    if (event.kind !== 'run') return state;
    if (state.weight.length < known.count) {
      state.weight = resized(state.weight, known.count * 2);
      state.at = resized(state.at, known.count * 2);
    }
    state.runs = event.number;
    const used = new Set([...event.demanded, ...event.computed]);
    for (const d of used) {
      state.weight[d] = decayed(state, d) + 1;
      state.at[d] = event.number;
    }
    return state;
  },
  decide(facts, state) {
    // What a run that is still under way computed was used just now, though no event tells of it yet.
    const count = (d: number) => (state.weight[d] ? decayed(state, d) : 1);
    const giveUp = takeUntilFree(facts, rankCandidates(facts.known, count));
    return { giveUp, score: giveUp.map(count) };
  },
};

function decayed(state: LfuState, d: number): number {
  return state.weight[d]! * 2 ** ((state.at[d]! - state.runs) / state.halfLifeRuns);
}

export default lfuDecay;
